import litellm

from serve import DESCRIPTIONS, SCHEMAS, serve

FUNCTIONS = [{"name": name, "description": DESCRIPTIONS[name], "parameters": schema} for name, schema in SCHEMAS.items()]


def loop(provider, base_url_of):
    """The loop as the documentation writes it, through one of the library's providers."""

    def run(task, tools):
        usage = {"input": 0, "output": 0}
        messages = [{"role": "user", "content": task["prompt"]}]
        while True:
            answer = litellm.completion(
                model=f"{provider}/{task['model']}",
                api_base=base_url_of(task),
                api_key=task["key"],
                messages=messages,
                tools=[{"type": "function", "function": function} for function in FUNCTIONS],
                stream=task["stream"],
                max_retries=2,
                num_retries=2,
                **({"stream_options": {"include_usage": True}} if task["stream"] else {}),
            )
            if task["stream"]:
                answer = litellm.stream_chunk_builder(list(answer), messages=messages)
            usage["input"] += answer.usage.prompt_tokens
            usage["output"] += answer.usage.completion_tokens
            # From Responses it makes a choice of each item.
            said = [choice.message for choice in answer.choices]
            messages += [message.model_dump(exclude_none=True) for message in said]
            calls = [call for message in said for call in message.tool_calls or []]
            if not calls:
                return {"text": "".join(message.content or "" for message in said), "usage": usage}
            for call in calls:
                result = tools.call(call.function.name, call.function.arguments)
                messages.append({"role": "tool", "tool_call_id": call.id, "content": result})

    return run


serve(
    {
        "openai": loop("openai", lambda task: task["baseURL"]),
        "responses": loop("openai/responses", lambda task: task["baseURL"]),
        "anthropic": loop("anthropic", lambda task: task["baseURL"].removesuffix("/v1")),
    }
)
