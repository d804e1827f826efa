"""Clauses, content words, filler, questions, polarity."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memfold.refine.text import clauses, content_words, is_filler, is_question, speaker, stem
from memfold.refine.text.language import language
from memfold.refine.text.pattern import IGNORECASE, Pattern
from memfold.refine.text.polarity import _CUES, _NO_CUE, denied, doubted, is_plain, negations
from memfold.refine.text.words import fold

CLAUSES = [
    ("He came. She left!", ["He came. ", "She left!"]),
    ("Dr. Adler met J. Ito at 4.5 km.", ["Dr. Adler met J. Ito at 4.5 km."]),
    ("He reads 'Once upon...' on Fridays. She listens.", ["He reads 'Once upon...' on Fridays. ", "She listens."]),
    ("He said 'well...' and left. She stayed…", ["He said 'well...' and left. ", "She stayed…"]),
    ("Well... he left. She stayed.", ["Well... ", "he left. ", "She stayed."]),
    ("我喜欢茶。他不喜欢！", ["我喜欢茶。", "他不喜欢！"]),
    ("行きます？はい。", ["行きます？", "はい。"]),
    ("It rained, but we stayed; nobody minded", ["It rained, ", "but we stayed; ", "nobody minded"]),
    ("one\ntwo", ["one\n", "two"]),
    ("", []),
]


@pytest.mark.parametrize(("text", "expected"), CLAUSES)
def test_clauses(text, expected):
    assert clauses(text) == expected


@given(st.text(max_size=300))
def test_clauses_join_to_the_text(text):
    assert "".join(clauses(text)) == text


def test_content_words_are_stems_without_function_words():
    assert content_words("The dogs were running and barking; a dog ran.") == {"dog": 2, "run": 2, "bark": 1}


def test_numbers_are_canonical():
    assert content_words("1,200 boxes") == content_words("1200 boxes")
    assert content_words("two boxes") == content_words("2 boxes")


def test_scripts_without_spaces_give_pieces():
    assert set(content_words("我住在巴黎")) == {"住", "巴黎"}
    assert "カレー" in content_words("彼はカレーが好き")
    assert set(content_words("おはよう"))
    assert content_words("고수를 먹는다")["고수"] == 1


def test_accents_and_full_width_forms_do_not_part_words():
    assert content_words("café") == content_words("cafe")
    assert content_words("ＡＢＣ") == content_words("abc")


@pytest.mark.parametrize(
    "forms",
    [
        "study studies studied studying",
        "agree agrees agreed agreeing",
        "run runs running",
        "happy happiness",
        "box boxes",
        "move moved moving moves",
    ],
)
def test_forms_of_a_word_meet(forms):
    assert len({stem(form) for form in forms.split()}) == 1


@given(st.text(max_size=60))
def test_a_stem_of_a_word_is_never_empty(word):
    assert stem(word) or not word.strip("'s")


FILLER = [
    "Thanks, Ana!",
    "Hi!",
    "Speaker Jon says : Thanks! See you later, Gina.",
    "ok great",
    "Haha yes",
    "谢谢,晚安!",
    "네네 감사합니다",
    "👍",
    "Merci, bonne nuit",
]
NOT_FILLER = [
    "Thanks for the 40 euros!",
    "Ana left.",
    "Great, I moved to Lyon",
    "我住在巴黎,谢谢",
    "ok, the code is 4417",
    "Yes, I smoke.",
    "Danke, ich wohne hier",
    "He died.",
]


@pytest.mark.parametrize("text", FILLER)
def test_filler(text):
    assert is_filler(text)


@pytest.mark.parametrize("text", NOT_FILLER)
def test_what_states_something_is_no_filler(text):
    assert not is_filler(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Did you see the news?", True),
        ("Hi Ana! How are you?", True),
        ("I moved. And you?", False),
        ("你好吗？", True),
        ("I moved.", False),
        ("", False),
    ],
)
def test_questions(text, expected):
    assert is_question(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ana: hello", ("Ana", "hello")),
        ("Speaker Ana says : hello", ("Ana", "hello")),
        ("[user] hello", ("user", "hello")),
        ("assistant: hello", ("assistant", "hello")),
        ("at 15:00 we left", ("", "at 15:00 we left")),
        ("this is a long heading of words: hello", ("", "this is a long heading of words: hello")),
    ],
)
def test_speaker(text, expected):
    assert speaker(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("she is allergic", 0),
        ("she is not allergic", 1),
        ("she isn't allergic", 1),
        ("never again", 1),
        ("without milk", 1),
        ("not only tea", 0),
        ("I can't wait to go", 0),
        ("er isst kein Fleisch", 1),
        ("no come carne", 1),
        ("elle ne mange pas de viande", 1),
        ("он не ест мясо", 1),
        ("他不吃肉", 1),
        ("彼は肉を食べない", 1),
        ("행복하지 않다", 1),
        ("هو لا يأكل", 1),
        ("anh ấy không ăn", 1),
        ("非常好", 0),
    ],
)
def test_negations(text, expected):
    assert negations(text) == expected
    assert is_plain(text) is (expected == 0) or expected == 0


def test_what_a_negation_and_a_doubt_bear_on():
    assert denied("Iris is not allergic to walnuts") == {"allergic"}
    assert denied("Er mag Katzen nicht") == {"katzen"}
    assert denied("她不喜欢咖啡") == {"喜欢"}
    assert denied("She drinks tea") == frozenset()
    assert doubted("Ben plans to move to Lisbon") == {"mov"}
    assert doubted("Ben might move") == {"mov"}
    assert doubted("Ben moved") == frozenset()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The dog sleeps here and there", "en"),
        ("Ich habe das nicht gesehen", "de"),
        ("Elle habite à Lyon", "fr"),
        ("El perro no está en la casa", "es"),
        ("我住在巴黎", "zh"),
        ("カレーが好き", "ja"),
        ("서울에 살아요", "ko"),
        ("Он живёт здесь", "ru"),
        ("", "en"),
    ],
)
def test_language(text, expected):
    assert language(text) == expected


def test_a_pattern_finds_the_same_in_ascii_text_as_in_any():
    pattern = Pattern(r"\bno\b|(?P<other>\w+n't)", IGNORECASE)
    assert [match[0] for match in pattern.finditer("No, he didn't; NO, I DON'T.")] == ["No", "didn't", "NO", "DON'T"]
    assert pattern.findall("Né: no, didn't") == ["", "didn't"]
    assert Pattern(r"a\sb", IGNORECASE).search("A\x1cb") is not None  # a blank, though not to a pattern of ASCII alone


CUES = """not no,no longer,never,none of them,nobody,nothing,neither,nor,without,cannot,can't,isn't,isnt,dont,doesnt,didnt
wasnt,wont,cant,havent,hasnt,hardly,rarely,seldom,zero,refuses,denies,denied,deny,stopped,quitting,gave up
gives up,giving up,given up,ceased,lacks,lacked,unable to,failed to,avoids,dislikes,hates,hated,cancelled,dropped
abandoned,postponed,aversion to,free of,keine,nie,niemals,ohne,nunca,sin,tampoco,ninguna,aucune,sans,rien,nem
sem,nenhuma,senza,geen,nooit,zonder,nicht,pas,jamais,non,niet,called off,put off,not at all,is out,was off
0""".replace("\n", ",").split(",")


@given(st.lists(st.sampled_from(["She", "eats", "walnuts", "today", "and", "Bo", "1_", "x-", "(", ".", *CUES]), max_size=6))
def test_no_cue_is_overlooked_for_the_sake_of_speed(words):
    text = " ".join(words)
    assert negations(text) == len(_CUES.findall(_NO_CUE.sub(" ", fold(text))))


@pytest.mark.parametrize("cue", CUES)
def test_every_cue_counts(cue):
    assert negations(f"She {cue} eats") >= 1
