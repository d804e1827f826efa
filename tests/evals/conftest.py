import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

KITCHEN = {
    "session_1_date_time": "9:05 am on 3 June, 2024",
    "session_1": [
        {"speaker": "Olga", "dia_id": "D1:1", "text": "I painted the shed green on Monday."},
        {"speaker": "Nils", "dia_id": "D1:2", "text": "Look!", "img_url": ["x"], "blip_caption": "a blue kayak on a car", "query": "kayak"},
        {"speaker": "Olga", "dia_id": "D1:3", "text": "Nice one."},
    ],
    "session_2_date_time": "12:40 pm on 17 July, 2024",
    "session_2": [
        {"speaker": "Nils", "dia_id": "D2:1", "text": "My kayak cost 420 euros in the end."},
        {"speaker": "Olga", "dia_id": "D2:2", "text": "I start the cello course in September."},
    ],
    "session_3_date_time": "8:00 pm on 1 August, 2024",
    "speaker_a": "Olga",
    "speaker_b": "Nils",
}
QUESTIONS = [
    {"question": "What did Olga paint?", "answer": "the green shed", "evidence": ["D1:1"], "category": 4},
    {"question": "How much was the kayak?", "answer": 420, "evidence": ["D:2:01; (D1:2)"], "category": 1},
    {"question": "When does the course start?", "answer": "September", "evidence": ["D2:2", "D9:9"], "category": 2},
    {"question": "Does Nils like water?", "answer": "Yes", "evidence": [], "category": 3},
    {"question": "What did Nils paint?", "adversarial_answer": "the shed", "evidence": ["D1:1"], "category": 5},
]


MAUD = {
    "_metadata": {"person_name": "Maud_Brandt", "total_sessions": 3},
    "dialogues": [
        {
            "session_identifier": "Garden_1:S1_01",
            "session_uuid": "aa11",
            "current_time": "2025-03-02 (Sunday)",
            "dialogue_turns": [
                {"speaker": "User", "is_query": False, "content": "I want beans along the wall.", "query_id": None},
                {"speaker": "Assistant", "is_query": False, "content": "Noted.", "query_id": None, "memory_used": []},
            ],
            "extracted_memory": [
                {"index": "Garden_1-SM-01", "type": "Static", "content": "[Beds] The wall bed is 4 m long.", "session_uuid": "aa11"},
                {"index": "Garden_1-DM-01", "type": "Dynamic", "content": "[Beds] Beans go along the wall.", "session_uuid": "aa11"},
            ],
        },
        {
            "session_identifier": "Garden_1:S2_01",
            "session_uuid": "bb22",
            "current_time": "2025-04-10 (Thursday)",
            "dialogue_turns": [
                {"speaker": "User", "is_query": True, "content": "How many bean poles do I need?", "query_id": "Q1"},
                {
                    "speaker": "Assistant",
                    "is_query": False,
                    "content": "Nine.",
                    "query_id": "Q1",
                    "category_name": "planning",
                    "memory_used": [
                        {"session_uuid": "aa11", "content": "[Beds] Beans go along the wall."},
                        {"session_uuid": "aa11", "content": "[Beds] The wall bed is 4 m long."},
                    ],
                },
                {"speaker": "User", "is_query": False, "content": "Thanks", "query_id": None},
                {"speaker": "Assistant", "is_query": False, "content": "!", "memory_used": [{"session_uuid": "aa11", "content": "x"}]},
            ],
            "extracted_memory": [
                {"index": "Garden_1-DM-01", "type": "Dynamic", "content": "[Beds] Beans go along the wall.", "session_uuid": "bb22"},
                {
                    "index": "Garden_1-P-1",
                    "type": "Schedule",
                    "content": {"task": "set poles", "days": ["12 April", 13]},
                    "session_uuid": "bb22",
                },
            ],
        },
        {
            "session_identifier": "Garden_1:S3_01",
            "session_uuid": "cc33",
            "current_time": "2025-05-01 (Thursday)",
            "dialogue_turns": [
                {"speaker": "User", "is_query": True, "content": "When do the poles go in?", "query_id": "Q2"},
                {
                    "speaker": "Assistant",
                    "content": "On the 12th.",
                    "memory_used": [
                        {"session_uuid": "bb22", "content": {"task": "set poles", "days": ["12 April", 13]}},
                        {"session_uuid": "bb22", "content": "[Beds] Beans go along the wall."},
                        {"session_uuid": "zz99", "content": "[Beds] The wall bed is 4 m long."},
                        {"session_uuid": "aa11", "content": "Maud keeps three hens."},
                    ],
                },
                {"speaker": "User", "is_query": True, "content": "And if it rains?", "query_id": "Q3"},
            ],
            "extracted_memory": [],
        },
    ],
}


def point(text, index, time, source="secondary", **fields):
    return {"index": index, "memory_content": text, "memory_type": "Persona Memory", "memory_source": source, "timestamp": time,
            "is_update": "False", "original_memories": [], "importance": 0.75, **fields}  # fmt: skip


def asked(question, answer, evidence, kind):
    memories = [{"memory_content": text, "memory_type": "Persona Memory"} for text in evidence]
    return {"question": question, "answer": answer, "evidence": memories, "difficulty": "easy", "question_type": kind}


TOVE = {
    "uuid": "tove",
    "sessions": [
        {
            "memory_points": [
                point("Tove rows on Tuesdays.", 1, "Feb 03, 2026, 18:30:00"),
                point("Tove rows on Fridays.", 2, "Feb 03, 2026, 18:30:00", "interference"),
            ],
            "dialogue": [],
        },
        {
            "memory_points": [
                point("Tove's rowing day changed from Tuesday to Sunday.", 1, "Mar 15, 2026, 09:00:05",
                      is_update="True", original_memories=["Tove rows on Tuesdays."]),
                point("Tove's boat is called Heron.", 2, "Mar 15, 2026, 09:00:05", "system"),
            ],
            "questions": [
                asked("On which day does Tove row now?", "Sunday",
                      ["Tove's rowing day changed from Tuesday to Sunday.", "Tove rows on Tuesdays."], "Dynamic Update"),
                asked("What is Tove's middle name?", "Unknown.", [], "Memory Boundary"),
                asked("What is the boat called?", "Heron", ["Tove's boat is called Heron.", "Tove owns a boat."], "Basic Fact Recall"),
            ],
            "dialogue": [],
        },
    ],
}  # fmt: skip


@pytest.fixture
def sample():
    """A dialogue of five turns in the form of LoCoMo, written for these tests."""
    return {"sample_id": "kitchen", "conversation": KITCHEN, "qa": QUESTIONS, "event_summary": {}}


@pytest.fixture
def data(tmp_path, sample):
    (tmp_path / "locomo").mkdir()
    (tmp_path / "locomo" / "locomo10.json").write_text(json.dumps([sample]), encoding="utf-8")
    return tmp_path


@pytest.fixture
def maud():
    """A persona of three sessions in the form of RealMem, written for these tests."""
    return MAUD


@pytest.fixture
def tove():
    """A user of two sessions in the form of HaluMem, written for these tests."""
    return TOVE
