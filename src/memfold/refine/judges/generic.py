"""Words that talk uses without telling a fact: cheer, agreement, politeness, vague praise and plans. Data only."""

from __future__ import annotations

from memfold.refine.text.words import content_words

_WORDS = """
    hi hey hello hiya morning evening afternoon bye goodbye night greetings welcome thanks thank thx cheers please sorry yes yeah yep yup
    nope ok okay sure right exactly absolutely definitely totally indeed agree agreed true course wow whoa oh ah aww aw haha hahaha lol
    hehe omg yay woohoo ha hmm mhm cool great good nice awesome amazing fantastic wonderful lovely sweet brilliant super perfect excellent
    incredible inspiring inspire inspiration impressive impressed fun glad happy sound sounds hear hearing know knew let talk talking chat
    soon later see take care luck best wish wishes congrats congratulations proud well keep going problem worries anytime appreciate
    appreciated support supportive kind words mean means meant thing things stuff look looking forward tell share sharing thoughtful think
    thought feel feeling feels felt fingers crossed enjoy enjoyed weekend way hope hoping anything everything something nothing everyone
    someone interesting love loved loving really truly honestly actually just like always never ever bit lot lots little big much many
    believe believing dream dreams goal goals positive positivity energy special beautiful gorgeous cute adorable exciting excited thrilled
    pleased difference impact journey moment moments memory memories helpful help helping helps remember important imagine understand
    understanding sense point idea question worth reach follow passion passionate dedication dedicated determined hard strong strength
    courage brave step steps pushing push stay kudos respect bet guess maybe probably perhaps anyway moving move better update updates
    updated posted post heard wait waiting ready start started starting try trying tried find found finding give giving gave come coming
    came make making makes made need needed want wanted wants say says said saying ask asked asking answer shoot pretty kinda gonna wanna
    gotta yourself friend friends buddy dude man bro mate dear darling guy guys folks people person life world time times day days
    today tomorrow tonight yesterday recently lately currently new old long first next last back ahead away around together own part kind
    sort type forever everyday cannot wouldn't couldn't shouldn't cant wont dont didnt isnt thats youre im ive hug hugs sleep tight rest
    easy simple smooth rough tough difficult challenge challenging rewarding fulfilling joy joyful peace peaceful relaxing refreshing
    comfort comforting touched touching blown talented skill skills creative creativity vibe vibes mood spirit heart soul smile laugh
    laughing laughed joke funny hilarious
    user assistant speaker noted acknowledged replied reply expressed surprise thanked greeting test testing sec secs
    danke hallo tschüss bitte genau gut toll super schön gerne klar merci bonjour salut oui non bien super gracias hola adiós sí vale bien
    genial obrigado obrigada olá oi sim bom legal tchau спасибо привет пока да хорошо отлично ладно cảm ơn chào vâng tốt شكرا مرحبا نعم
    好的 谢谢 晚安 你好 再见 辛苦 哈哈 ありがとう こんにちは おはよう お疲れ はい 감사합니다 안녕 네
"""
GENERIC: frozenset[str] = frozenset(word for line in _WORDS.splitlines() for word in content_words(line))
"""The stems as `content_words` gives them."""

_TOLD = """
    user assistant speaker ai confirm confirmed approve approved approval decide decided agree agreed agrees identify identified current
    currently specific specifically propose proposed mention mentioned discuss discussed express expressed state stated note noted focus
    focused engage engaged provide provided include included including request requested explicitly involve involves related regarding
    consider considering consideration prefer prefers preference value values highlight highlighting emphasize emphasizes reflect reflected
    reflects describe described acknowledge acknowledges recognize recognizing aim aims seek seeks continue continues continued explore
    exploring use used using various several multiple significant significantly overall ensure ensuring maintain maintaining personal
    recently finding finds details detail information type types thing particular particularly especially
    image photo photos photograph photography picture pic
"""
TOLD: frozenset[str] = frozenset(word for line in _TOLD.splitlines() for word in content_words(line))
"""Stems of words that notes report with: who told it and how, not what was told."""

_STATES = """
    complete completed completion finish finished start started begin began book booked booking accept accepted approve approved finalize
    finalized confirm confirmed reject rejected decline declined postpone postponed pause paused resume resumed cancel cancelled canceled
    remove removed drop dropped add added replace replaced switch switched change changed move moved recover recovering recovered launch
    launched deploy deployed release released fix fixed resolve resolved close closed open opened reopen ship shipped merge merged sell
    sold buy bought pay paid sign signed send sent receive received submit submitted pass passed fail failed win won lose lost choose
    chosen chose select selected quit quitting stop stopped retire retired graduate graduated marry married divorce divorced break broke
    draft drafted ready pending active inactive paused done update updated upgrade upgraded cut raise raised rise grow shrink
"""
STATES: frozenset[str] = frozenset(word for line in _STATES.splitlines() for word in content_words(line))
"""Stems of words that say how far a thing has come, so that one of them alone makes an update."""
