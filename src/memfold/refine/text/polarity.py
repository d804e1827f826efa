"""Whether a text says that something is, is not, or may be, and of which word it says so."""

from __future__ import annotations

from memfold.refine.text.canvas import letters
from memfold.refine.text.pattern import IGNORECASE, Pattern
from memfold.refine.text.sentences import clauses
from memfold.refine.text.words import content_list, fold

_BEFORE_ITS_WORD = (
    r"not|no longer|no|never|none of|nobody|nothing|neither|nor|without|cannot|can't|[a-z]{2,8}n't|isnt|dont|doesnt|didnt|wasnt|wont|"
    r"cant|havent|hasnt|"
    r"hardly|rarely|seldom|zero|0|refus\w+|den(?:y|ies|ied)|stop(?:s|ped|ping)?|quit(?:s|ting)?|gave up|giv(?:e|es|ing|en) up|ceas\w+|"
    r"lacks?|lacked|unable to|"
    r"fail(?:s|ed)? to|avoid\w*|dislik\w+|hat(?:e|es|ed)|cancel\w*|drop(?:s|ped)|abandon\w*|postpon\w*|aversion to|free of|"
    r"kein(?:e|en|em|er|es)?|nie|niemals|ohne|nunca|jamás|sin|tampoco|ningun[oa]?|ningún|aucune?|sans|rien|não|nem|sem|nenhuma?|senza|"
    r"geen|nooit|zonder|"
    r"не|нет|ни|никогда|без|không|chưa|chẳng|đừng|لا|ليس|ليست|لم|لن|بدون"
)
_BEHIND_ITS_WORD = r"nicht|pas|jamais|non|niet|cancell?ed|postponed|dropped|called off|put off|not at all|is out|are out|is off|was off"
_CUES = Pattern(
    rf"(?P<fore>\b(?:{_BEFORE_ITS_WORD})\b|[不没沒無未非别]|안 |못 )"
    rf"|(?P<aft>\b(?:{_BEHIND_ITS_WORD})\b|ない|なく|なかった|ません|지 않|지 못|않|없)",
    IGNORECASE,
)
_HEADS = frozenset(
    """not no none neve nobo noth neit nor with cann t isnt dont does didn wasn wont cant have hasn hard rare seld zero refu deny deni stop
    quit gave give givi ceas lack unab fail avoi disl hate canc drop aban post aver free kein nie niem ohne nunc sin tamp ning aucu
    sans rien nem sem nenh senz geen nooi zond nich pas jama non niet out off""".split()
)
"""The first four letters of a word of every cue of ASCII: a text with neither them nor a zero holds no cue, and need not be searched."""
_ZERO = Pattern(r"\b0\b")
_NO_CUE = Pattern(
    r"\b(?:not only|not just|no problem|no worries|no doubt|no wonder|no\.? ?\d|0\d|\d+0|why not|whether or not|or not|can't wait|"
    r"cannot wait|couldn't agree more|"
    r"no matter|nothing but|never mind|if not|nie wieder|don't worry|don't forget|why don't|do not forget)\b"
    r"|非常|不错|不過|不过|没关系|無料|無理|未来|少なくない|しかない|しなければならない|なければならない|如果不|差不多|不好意思|不同|かもしれない|かもしれません",
    IGNORECASE,
)
_REACH = 48
"""Characters beside a cue in which its word is looked for."""
_PASSED_OVER = frozenset("able need want going really quite very much many long yet ever even make take be able plan hop try".split())


def negations(text: str) -> int:
    """How many negations the text holds, in some fifteen languages. `not only`, `can't wait`, `no problem` and the like are none."""
    folded = fold(text)
    if folded.isascii() and _ZERO.search(folded) is None and _HEADS.isdisjoint(word[:4] for word in letters(folded)):
        return 0
    return len(_CUES.findall(_NO_CUE.sub(" ", folded)))


_SOFT = Pattern(
    r"\b(?:gone|prevent\w*|out|off|missing|closed|forbid\w*|forbade|ban(?:s|ned)?|free|exclud\w*|beyond|declin\w*|reject\w*|otherwise|"
    r"instead|rather than|"
    r"all clear|clean|alone|only|aversion|but|except|half|fewer|less|бросил\w*|weg|fini|arrêt\w*|dejó|parou)\b|[戒禁]",
    IGNORECASE,
)


def is_plain(text: str) -> bool:
    """Whether the text affirms and no more: it holds no negation, and no word that may stand for one (`gone`, `free`, `instead`)."""
    return negations(text) == 0 and _SOFT.search(text) is None


def denied(text: str) -> frozenset[str]:
    """The words (as `content_words` gives them) that a negation of the text bears on: the first content word behind it, and for
    the negations that follow their word the last one before it.
    """
    if _CUES.search(text) is None:
        return frozenset()
    found: set[str] = set()
    for clause in clauses(_NO_CUE.sub(" ", fold(text))):
        for cue in _CUES.finditer(clause):
            found.update(_next(clause, cue.end()))
            if cue["aft"]:
                found.update(content_list(clause[max(0, cue.start() - _REACH) : cue.start()])[-1:])
    return frozenset(found)


_PLANS = Pattern(
    r"\b(?:might|(?-i:may)|maybe|perhaps|possibly|would like to|considering|thinking (?:of|about)|hop(?:e|es|ing) to|plan(?:s|ned|"
    r"ning)? (?:to|on)|wants? to|wanted to|"
    r"wish(?:es)? to|intend(?:s|ed|ing)? to|aim(?:s|ing)? to|(?:commit(?:s|ted)?|promise[sd]?) to|"
    r"undecided (?:about|whether to)|wonder(?:s|ing)? (?:if|whether) to|"
    r"vielleicht|möchte|quizás?|tal vez|quiere|peut-être|veut|talvez|quer|forse|vuole|может|хочет|планирует|возможно|có lẽ|muốn|định)\b"
    r"|也许|可能|打算|想要|考虑|かもしれ|つもり|아마|계획|싶",
    IGNORECASE,
)


def doubted(text: str) -> frozenset[str]:
    """The words that a plan, wish or doubt of the text bears on: the first content word behind each."""
    return _behind(_PLANS, text)


_AHEAD = Pattern(
    r"\b(?:will|shall|going to|gonna|until (?:the )?\w+|"
    r"(?:agree|decide|need|intend|offer|volunteer|ask|request|invite|remind|proceed|schedule)(?:s|d|ed)? to|"
    r"(?:is|are) (?:to|due to|set to|about to))\b|'ll\b",
    IGNORECASE,
)


def ahead(text: str) -> frozenset[str]:
    """The words that the text, in English, says are still to come: the first content word behind each `will`, `agreed to`,
    `until she`.
    """
    return _behind(_AHEAD, text)


_FIRST_WORD = Pattern(r"\W*(?:【[^】]{0,200}】\W*)?(?P<word>[A-Za-z]+)")


def bidden(text: str) -> frozenset[str]:
    """What a note says is to be done, in English: `Review the budget every Friday` has `review`. Any first word that is no past form."""
    first = _FIRST_WORD.match(text)
    return frozenset() if first is None or first["word"].endswith(("ed", "ing")) else frozenset(content_list(first["word"])[:1])


def _behind(cues: Pattern, text: str) -> frozenset[str]:
    if cues.search(text) is None:
        return frozenset()
    return frozenset(word for clause in clauses(fold(text)) for cue in cues.finditer(clause) for word in _next(clause, cue.end()))


def _next(clause: str, at: int) -> list[str]:
    words = content_list(clause[at : at + _REACH])
    return [word for word in words if word not in _PASSED_OVER][:1]
