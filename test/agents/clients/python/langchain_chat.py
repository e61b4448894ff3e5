from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI

from serve import DESCRIPTIONS, SCHEMAS, serve

TOOLS = [{"title": name, "description": DESCRIPTIONS[name], **schema} for name, schema in SCHEMAS.items()]


def loop(model_of):
    def run(task, tools):
        model = model_of(task).bind_tools(TOOLS)
        usage = {"input": 0, "output": 0}
        messages = [HumanMessage(task["prompt"])]
        while True:
            answer = collected(model, messages) if task["stream"] else model.invoke(messages)
            usage["input"] += answer.usage_metadata["input_tokens"]
            usage["output"] += answer.usage_metadata["output_tokens"]
            messages.append(answer)
            if not answer.tool_calls:
                return {"text": answer.text, "usage": usage}
            for call in answer.tool_calls:
                messages.append(ToolMessage(tools.call(call["name"], call["args"]), tool_call_id=call["id"]))

    return run


def collected(model, messages):
    whole = None
    for chunk in model.stream(messages):
        whole = chunk if whole is None else whole + chunk
    return whole


def open_ai(task, **options):
    return ChatOpenAI(model=task["model"], api_key=task["key"], base_url=task["baseURL"], stream_usage=True, **options)


serve(
    {
        "chat": loop(open_ai),
        "responses": loop(
            lambda task: open_ai(
                task, use_responses_api=True, store=False, include=["reasoning.encrypted_content"]
            )
        ),
        "anthropic": loop(
            lambda task: ChatAnthropic(
                model=task["model"],
                api_key=task["key"],
                base_url=task["baseURL"].removesuffix("/v1"),
                max_tokens=2000,
            )
        ),
    }
)
