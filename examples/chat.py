"""A chat that remembers, over any OpenAI-compatible endpoint: python chat.py MODEL [BASE_URL]; an empty line ends it."""

import os
import sys

import openai

from memfold import Memory, ModelSettings, open_model

name, url = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
client = openai.OpenAI(base_url=url or None, api_key=os.environ.get("OPENAI_API_KEY", "none"))
with Memory.open("chat.db", max_bytes="1MB") as memory:
    model = open_model(name, ModelSettings(base_url=url), cache=memory.replies)
    said: list[dict[str, str]] = []
    while text := (sys.stdout.write("> "), sys.stdout.flush(), sys.stdin.readline().strip())[-1]:
        known = memory.context(text, max_tokens=1000).text
        told = {"role": "system", "content": f"Answer from what you know of the user:\n{known}"}
        said.append({"role": "user", "content": text})
        answer = client.chat.completions.create(model=name, messages=[told, *said[-9:]]).choices[0].message.content or ""
        said.append({"role": "assistant", "content": answer})
        print(answer)
    # what the user says is remembered; the assistant's words would come back as evidence for what it recalled
    print(memory.observe([message for message in said if message["role"] == "user"], model=model))
