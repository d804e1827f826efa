"""Words that carry mood, courtesy or vague talk: a text of these alone states no fact worth asking for. Data only."""

from __future__ import annotations

from memfold.refine.text.calendar import MONTHS, WEEKDAYS
from memfold.refine.text.units import UNITS
from memfold.refine.text.words import stem

_WORDS = """
    absolutely adore adorable advice agree agreed ah aha always amazing anyone anything anytime anyway appreciate appreciated attitude aw
    awesome awful aww awww bad beautiful believe best bet better big bit blast bless blessed bring bright brilliant bummer bye can care
    careful catch chat cheer cheerful cheers chill check close come coming cool congrats congratulations connection count course crazy
    curious cute damn dear definitely delicious deserve deserved difference dream dude easy effort else encourage encouragement
    encouraging end energy enjoy enough especially ever everybody everyone everything exactly excellent excited exciting experience face
    fab fabulous fact fantastic far feel feeling fingers crossed folk follow forget forward friend fun funny furry future gee gift
    give glad goal going gonna good goodbye goodness gorgeous gosh gotta grateful gratitude great guess guy ha haha hahaha handle
    happen happiness happy hard hear heard heart heartbreaking heartwarming hehe hello help helpful hey hi hiya hmm honest honestly hooray
    hope hopefully how hug huge huh idea imagine impact important impressed impressive inspiration inspire inspiring incredible indeed
    interesting jealous journey joke journey joy jump just keep kid kind know laugh laughter learn let life light like little lol long
    look looking lot love lovely loving luck lucky make matter mean meaningful memory merry message mind miss moment morning motivate
    motivated motivating motivation motivational need never news nice night no nobody note nothing now obviously oh ok okay omg one oops
    opportunity pal part passion passionate path people perfect perhaps person perspective phew photo pic picture pleased pleasure plenty
    point positive positivity possible power powerful precious pretty probably problem progress proud push put question quick quite rad
    reach read ready real really relate relaxing remember remind reminder respect rest reward rewarding right rock rough sad safe say
    scary seem sense send shame share sharing shine short show simple smash smile somebody someone something sometimes soon sorry soul
    sound special spirit spread start stay step still stop story strength strong struggle stuff stunning success such super support
    supportive sure surely surprise sweet talk talent team tell terrible terrific thank thanks thanx thing think thought thoughtful time
    tip today together tomorrow tonight totally touch tough treasure tremendous true truly trust try turn ugh understand unreal update
    upset useful user value vibe view wait want warm watch way wear weekend weird welcome well whatever whenever wild win wise wish wonder
    wonderful word work world worry worth worthwhile wow wrong ya yay yea yeah yep yes yet yikes yup xo xx xxx yummy nope same sweetheart
    buddy heck crack rooting invite chance change sign beat bravo
"""
_REPORTING = """
    accord accordingly ask assistant away back become behalf call case concern consider date decide establish former hold instead
    it'll later mention name necessary once order otherwise own place poor post previously purpose reason refer regard regarding
    remain repeat respective respectively say said second side speak speaker spot state subject suffer take tend third though thus
    user whole
"""
"""Words that tell how something is told."""
_OF_VALUES = "am pm half quarter past last next ago thousand hundred dozen quid yesterday tomorrow today tonight percent o'clock late"
"""Words that make up amounts and dates; those are compared as values."""
_THINGS = frozenset({"cup", "cups", "bar", "won", "foot", "feet", "yard", "mark"})
OF_VALUES: frozenset[str] = frozenset(_OF_VALUES.split()).union(
    name.lower() for name in (*UNITS, *MONTHS, *WEEKDAYS) if len(name) > 1 and name not in _THINGS
)
"""Words that make up amounts and dates, as written in lower case."""
GENERIC: frozenset[str] = frozenset(stem(word) for word in (*f"{_WORDS} {_REPORTING}".split(), *OF_VALUES))
"""Stems of all the words above."""
