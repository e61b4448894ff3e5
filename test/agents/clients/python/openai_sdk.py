from openai import OpenAI

from serve import DESCRIPTIONS, SCHEMAS, serve

FUNCTIONS = [{"name": name, "description": DESCRIPTIONS[name], "parameters": schema} for name, schema in SCHEMAS.items()]


def client_of(task):
    return OpenAI(base_url=task["baseURL"], api_key=task["key"])


def chat(task, tools):
    client = client_of(task)
    usage = {"input": 0, "output": 0}
    messages = [{"role": "user", "content": task["prompt"]}]
    while True:
        request = {
            "model": task["model"],
            "messages": messages,
            "tools": [{"type": "function", "function": function} for function in FUNCTIONS],
        }
        if task["stream"]:
            with client.chat.completions.stream(**request, stream_options={"include_usage": True}) as stream:
                answer = stream.get_final_completion()
        else:
            answer = client.chat.completions.create(**request)
        usage["input"] += answer.usage.prompt_tokens
        usage["output"] += answer.usage.completion_tokens
        message = answer.choices[0].message
        messages.append(message.model_dump(exclude_none=True, exclude={"parsed"}))
        if not message.tool_calls:
            return {"text": message.content, "usage": usage}
        for call in message.tool_calls:
            result = tools.call(call.function.name, call.function.arguments)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


def responses(task, tools):
    client = client_of(task)
    usage = {"input": 0, "output": 0}
    items = [{"role": "user", "content": task["prompt"]}]
    while True:
        request = {
            "model": task["model"],
            "input": items,
            "store": False,
            "include": ["reasoning.encrypted_content"],
            "tools": [{"type": "function", "strict": True, **function} for function in FUNCTIONS],
        }
        if task["stream"]:
            with client.responses.stream(**request) as stream:
                answer = stream.get_final_response()
        else:
            answer = client.responses.create(**request)
        usage["input"] += answer.usage.input_tokens
        usage["output"] += answer.usage.output_tokens
        items += [item.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for item in answer.output]
        calls = [item for item in answer.output if item.type == "function_call"]
        if not calls:
            return {"text": answer.output_text, "usage": usage}
        for call in calls:
            result = tools.call(call.name, call.arguments)
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": result})


serve({"chat": chat, "responses": responses})
