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


@pytest.fixture
def sample():
    """A dialogue of five turns in the form of LoCoMo, written for these tests."""
    return {"sample_id": "kitchen", "conversation": KITCHEN, "qa": QUESTIONS, "event_summary": {}}


@pytest.fixture
def data(tmp_path, sample):
    (tmp_path / "locomo").mkdir()
    (tmp_path / "locomo" / "locomo10.json").write_text(json.dumps([sample]), encoding="utf-8")
    return tmp_path
