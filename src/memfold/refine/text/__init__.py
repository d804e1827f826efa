"""What refinement needs to know of a text, without a model: its clauses, content words, values, and whether it says anything."""

from memfold.refine.text.filler import is_filler, is_question
from memfold.refine.text.sentences import clauses, speaker
from memfold.refine.text.values import Value, values
from memfold.refine.text.words import content_words, fold, stem

__all__ = ["Value", "clauses", "content_words", "fold", "is_filler", "is_question", "speaker", "stem", "values"]
