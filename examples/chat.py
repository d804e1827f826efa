"""A chat that remembers, over any OpenAI-compatible endpoint: python chat.py MODEL [BASE_URL]; an empty line ends it."""

import sys

import openai

from memfold import Memory, ModelSettings, open_model

name, url = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
client = openai.OpenAI(base_url=url or None)
with Memory.open("chat.db", max_bytes="1MB") as memory:
    model = open_model(name, ModelSettings(base_url=url), cache=memory.replies)
    said = []
    while text := input("> ").strip():
        known = memory.context(text, max_tokens=1000).text
        told = {"role": "system", "content": f"Answer from what you know of the user:\n{known}"}
        asked = [told, *said[-8:], {"role": "user", "content": text}]
        answer = client.chat.completions.create(model=name, messages=asked).choices[0].message.content or ""
        print(answer)
        said += [{"role": "user", "content": text}, {"role": "assistant", "content": answer}]
    print(memory.observe(said, model=model))
