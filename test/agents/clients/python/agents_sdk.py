from agents import (
    Agent,
    FunctionTool,
    ModelSettings,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    set_tracing_disabled,
)
from openai import AsyncOpenAI

from serve import DESCRIPTIONS, SCHEMAS, serve

set_tracing_disabled(True)


def loop(model_class):
    async def run(task, tools):
        def tool(name):
            async def invoke(_context, arguments):
                return tools.call(name, arguments)

            return FunctionTool(
                name=name,
                description=DESCRIPTIONS[name],
                params_json_schema=SCHEMAS[name],
                on_invoke_tool=invoke,
            )

        async with AsyncOpenAI(base_url=task["baseURL"], api_key=task["key"]) as client:
            agent = Agent(
                name="Gauges",
                model=model_class(model=task["model"], openai_client=client),
                model_settings=ModelSettings(include_usage=True),
                tools=[tool(name) for name in SCHEMAS],
            )
            if task["stream"]:
                result = Runner.run_streamed(agent, task["prompt"])
                async for _event in result.stream_events():
                    pass
            else:
                result = await Runner.run(agent, task["prompt"])
        usage = result.context_wrapper.usage
        return {
            "text": result.final_output,
            "usage": {"input": usage.input_tokens, "output": usage.output_tokens},
        }

    return run


serve({"chat": loop(OpenAIChatCompletionsModel), "responses": loop(OpenAIResponsesModel)})
