"""Word lists of our own: function words per language, number words, filler. Data only."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ENGLISH = _words(
    """
    a an the this that these those it its it's he she they them him her his hers their theirs we us our ours you your yours i me my mine
    myself yourself himself herself itself ourselves themselves is are was were be been being am isn't aren't wasn't weren't do does did
    done doing don't doesn't didn't have has had having haven't hasn't hadn't can can't cannot could couldn't will won't would wouldn't
    shall should shouldn't may might must of in on at to from for with by about as into onto over under up down out off than then so such
    and or but nor if when while where which who whom whose what why how because since until till before after during between through
    across against among along around upon within there here also too very just only even still again more most some any each every all
    both either neither other another own same one ones i'm i've i'd i'll he's she's that's there's we're we've we'd we'll you're you've
    you'd you'll they're they've they'd they'll what's who's let's lets got get gets getting go goes went really quite much many lot lots
    s t re ve ll d m w via per etc eg ie not no never
    """
)

OTHER_LANGUAGES: dict[str, frozenset[str]] = {
    "de": _words(
        """der die das den dem des ein eine einen einem einer eines und oder aber ist sind war waren bin bist hat haben hatte wird werden
        ich du er sie es wir ihr mich mir dich dir ihn ihm uns euch sich mein meine sein seine ihre unser im in am an auf aus bei mit nach
        von vom zu zum zur für über um als wie wenn weil dass auch noch nur schon sehr so da dort hier nicht kein keine durch vor seit"""
    ),
    "es": _words(
        """el la los las un una unos unas y o pero es son era fue ser estar está están ha han había yo tú él ella nosotros ellos me te se
        lo le les nos mi mis tu su sus de del en a al con por para sin sobre desde hasta que como cuando si no muy más también ya porque
        donde este esta esto ese esa hay"""
    ),
    "fr": _words(
        """le la les l un une des du de d et ou mais est sont était être a ont avait avoir je j tu il elle on nous vous ils elles me m te t
        se s lui leur mon ma mes ton ta tes son sa ses notre nos en y au aux dans sur sous avec pour par sans chez que qu qui quand si ne
        n pas très plus aussi ce c cet cette ces déjà comme à"""
    ),
    "pt": _words(
        """o a os as um uma uns umas e ou mas é são era foi ser está estão tem têm tinha eu tu ele ela nós eles me te se lhe meu minha seu
        sua de do da dos das em no na nos nas ao à com por para pra pelo pela sem sobre que como quando se não muito mais também já porque
        isso este esta esse essa à"""
    ),
    "it": _words(
        """il lo la i gli le un uno una e o ma è sono era essere ha hanno aveva io tu lui lei noi loro mi ti si ci vi mio mia suo sua di del
        della in nel nella a al alla con per su da dal che come quando se non molto più anche già perché questo questa"""
    ),
    "nl": _words(
        """de het een en of maar is zijn was waren ben heeft hebben had ik jij je hij zij ze wij we mij me hem haar ons mijn uw in op aan
        uit bij met naar van voor over om als dan dat die deze dit ook nog al zeer er hier niet geen te"""
    ),
    "ru": _words(
        """и в во не что он она оно они на я с со как а то все так его но да ты к у же вы за бы по ее её мне было вот от меня о об из ему
        теперь когда даже ну ли если уже или быть был была были до вас себя мы их для это этот эта эти мой моя мои наш тоже есть при"""
    ),
    "vi": _words(
        """và là của có cho với các những một này đó được trong ở đã đang sẽ thì mà cũng như khi từ đến vào ra lên tôi em anh chị mình nó
        không chưa rồi nhé ạ"""
    ),
    "ar": _words("""في من على إلى عن مع هذا هذه ذلك التي الذي هو هي أنا نحن هم كان كانت أن إن لا لم لن ما قد و ثم أو كل"""),
}

UNITS_OF_SPEECH = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18,
    "nineteen": 19,
}  # fmt: skip
TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fourty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}


def _numbered(row: str) -> dict[str, int]:
    return {word: number for number, group in enumerate(row.split(), start=2) for word in group.split("/")}


NUMBERS_ELSEWHERE: dict[str, dict[str, int]] = {
    "de": _numbered(
        """zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn
        zwanzig"""
    ),
    "es": _numbered(
        """dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve
        veinte"""
    ),
    "fr": _numbered(
        """deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf vingt"""
    ),
    "pt": _numbered(
        """dois/duas três quatro cinco seis sete oito nove dez onze doze treze catorze/quatorze quinze dezesseis/dezasseis
        dezessete/dezassete dezoito dezenove/dezanove vinte"""
    ),
    "it": _numbered(
        """due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto
        diciannove venti"""
    ),
    "nl": _numbered(
        """twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien
        twintig"""
    ),
    "ru": _numbered(
        """два/две/двух три/трёх/трех четыре/четырёх пять/пяти шесть/шести семь/семи восемь/восьми девять/девяти десять/десяти"""
    ),
    "vi": _numbered("""hai ba bốn _ sáu bảy tám chín mười"""),
    "ar": _numbered("""اثنان/اثنين ثلاثة/ثلاث أربعة/أربع خمسة/خمس ستة/ست سبعة/سبع ثمانية/ثماني تسعة/تسع عشرة/عشر"""),
}
"""Number words from two up, one language a row; Vietnamese five is also the word for year and is left out."""


def _with(language: str, more: str) -> None:
    for group in more.split():
        names, _, number = group.rpartition("=")
        NUMBERS_ELSEWHERE[language].update((name, int(number)) for name in names.split("/"))


_with("de", "dreißig=30 vierzig=40 fünfzig=50 sechzig=60 siebzig=70 achtzig=80 neunzig=90 hundert/einhundert=100 tausend/eintausend=1000")
_with(
    "es",
    """veintiuno=21 veintidós=22 veintitrés=23 veinticuatro=24 veinticinco=25 veintiséis=26 veintisiete=27 veintiocho=28 veintinueve=29
    treinta=30 cuarenta=40 cincuenta=50 sesenta=60 setenta=70 ochenta=80 noventa=90 cien/ciento=100 doscientos=200 trescientos=300
    quinientos=500 mil=1000""",
)
_with(
    "fr",
    """trente=30 quarante=40 cinquante=50 soixante=60 soixante-dix=70 quatre-vingts/quatre-vingt=80 quatre-vingt-dix=90 cent=100
    mille=1000""",
)
_with("pt", "trinta=30 quarenta=40 cinquenta=50 sessenta=60 setenta=70 oitenta=80 noventa=90 cem/cento=100 mil=1000")
_with("it", "trenta=30 quaranta=40 cinquanta=50 sessanta=60 settanta=70 ottanta=80 novanta=90 cento=100 mille=1000")
_with("nl", "dertig=30 veertig=40 vijftig=50 zestig=60 zeventig=70 tachtig=80 negentig=90 honderd=100 duizend=1000")
_with(
    "ru",
    """одиннадцать=11 двенадцать=12 тринадцать=13 четырнадцать=14 пятнадцать=15 шестнадцать=16 семнадцать=17 восемнадцать=18
    девятнадцать=19 двадцать/двадцати=20 тридцать/тридцати=30 сорок/сорока=40 пятьдесят=50 шестьдесят=60 семьдесят=70 восемьдесят=80
    девяносто=90 сто/ста=100 двести=200 триста=300 пятьсот=500""",
)
_with(
    "ar",
    """عشرون/عشرين=20 ثلاثون/ثلاثين=30 أربعون/أربعين=40 خمسون/خمسين=50 ستون/ستين=60
    سبعون/سبعين=70 ثمانون/ثمانين=80 تسعون/تسعين=90 مئة/مائة=100""",
)

SCALES_ELSEWHERE: dict[str, dict[str, int]] = {
    "vi": {"mươi": 10, "trăm": 100},
    "fr": {"cents": 100},
    "de": {},
}
"""Words that only multiply the number before them."""

ORDINALS = {
    "third": "3rd", "fourth": "4th", "fifth": "5th", "sixth": "6th", "seventh": "7th", "eighth": "8th", "ninth": "9th", "tenth": "10th",
    "eleventh": "11th", "twelfth": "12th", "thirteenth": "13th", "fourteenth": "14th", "fifteenth": "15th", "sixteenth": "16th",
    "seventeenth": "17th", "eighteenth": "18th", "nineteenth": "19th", "twentieth": "20th", "thirtieth": "30th", "fortieth": "40th",
    "fiftieth": "50th", "sixtieth": "60th", "seventieth": "70th", "eightieth": "80th", "ninetieth": "90th", "hundredth": "100th",
}  # fmt: skip
