from anthropic import Anthropic

from serve import DESCRIPTIONS, SCHEMAS, serve

TOOLS = [{"name": name, "description": DESCRIPTIONS[name], "input_schema": schema} for name, schema in SCHEMAS.items()]


def messages(task, tools):
    """The loop as the documentation writes it."""
    client = Anthropic(base_url=task["baseURL"].removesuffix("/v1"), api_key=task["key"])
    usage = {"input": 0, "output": 0}
    turns = [{"role": "user", "content": task["prompt"]}]
    while True:
        request = {"model": task["model"], "max_tokens": 2000, "messages": turns, "tools": TOOLS}
        if task["stream"]:
            with client.messages.stream(**request) as stream:
                answer = stream.get_final_message()
        else:
            answer = client.messages.create(**request)
        counted = answer.usage
        usage["input"] += counted.input_tokens + counted.cache_read_input_tokens + counted.cache_creation_input_tokens
        usage["output"] += counted.output_tokens
        turns.append({"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in answer.content]})
        calls = [block for block in answer.content if block.type == "tool_use"]
        if not calls:
            return {"text": "".join(block.text for block in answer.content if block.type == "text"), "usage": usage}
        turns.append(
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": call.id, "content": tools.call(call.name, call.input)}
                    for call in calls
                ],
            }
        )


serve({"messages": messages})
