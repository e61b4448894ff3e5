/** How a service tells in chats what was used, and what that comes to. */
export interface UsageShape {
  /** A provider in providers.md, or the engine. */
  readonly provider: string
  readonly kind: string
  /** Where the shape was published: a page, or `repository#issue`. */
  readonly source: string
  /** Members that it adds to a whole answer, or to the last chunk of a stream. */
  readonly told: Told
  /** The charged usage. */
  readonly bill: UsageBill
  /** Reasoning tokens within the output; default 0. */
  readonly reasoning?: number
}

export interface Told {
  /** Members of the answer. */
  readonly answer?: object
  /** Members of its choice. */
  readonly choice?: object
}

export interface UsageBill {
  readonly input: number
  readonly output: number
  readonly cached?: number
  readonly written?: number
}

/** A usage at the top of the answer. */
const usage = (counts: object): Told => ({ answer: { usage: counts } })

export const USAGE_SHAPES: readonly UsageShape[] = [
  {
    ...{ provider: 'openai', kind: 'cached', source: '64bit/async-openai#272' },
    told: usage({
      ...{ prompt_tokens: 2006, completion_tokens: 300, total_tokens: 2306 },
      prompt_tokens_details: { cached_tokens: 1920 },
      completion_tokens_details: { reasoning_tokens: 0 },
    }),
    bill: { input: 2006, output: 300, cached: 1920 },
  },
  {
    ...{ provider: 'openai', kind: 'all details', source: 'openai/openai-node#1346' },
    told: usage({
      ...{ prompt_tokens: 2009, completion_tokens: 16, total_tokens: 2025 },
      prompt_tokens_details: { audio_tokens: 0, cached_tokens: 0 },
      completion_tokens_details: {
        ...{ accepted_prediction_tokens: 0, audio_tokens: 0 },
        ...{ reasoning_tokens: 0, rejected_prediction_tokens: 0 },
      },
    }),
    bill: { input: 2009, output: 16 },
  },
  {
    ...{ provider: 'openai', kind: 'reasoning inside the output', source: '64bit/async-openai#272' },
    told: usage({
      ...{ prompt_tokens: 75, completion_tokens: 1186, total_tokens: 1261 },
      completion_tokens_details: { reasoning_tokens: 1024 },
    }),
    bill: { input: 75, output: 1186 },
    reasoning: 1024,
  },
  {
    ...{ provider: 'openai', kind: 'written into the cache', source: 'mindroom-ai/mindroom#2134' },
    told: usage({
      ...{ prompt_tokens: 2006, completion_tokens: 300, total_tokens: 2306 },
      prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 1900 },
    }),
    bill: { input: 2006, output: 300, cached: 100, written: 1900 },
  },
  {
    ...{
      provider: 'azure',
      kind: 'details that are null',
      source: 'learn.microsoft.com/azure/ai-services/openai/reference',
    },
    told: usage({
      ...{ prompt_tokens: 37, completion_tokens: 557, total_tokens: 594 },
      ...{ prompt_tokens_details: null, completion_tokens_details: null },
    }),
    bill: { input: 37, output: 557 },
  },
  {
    ...{ provider: 'anthropic', kind: 'its form of OpenAI', source: 'platform.claude.com/docs/en/api/openai-sdk' },
    told: usage({ prompt_tokens: 17, completion_tokens: 4, total_tokens: 21 }),
    bill: { input: 17, output: 4 },
  },
  {
    ...{ provider: 'anthropic', kind: 'its own names', source: 'BerriAI/litellm tests of 1-hour caches' },
    told: usage({
      ...{ input_tokens: 3, output_tokens: 31 },
      ...{ cache_creation_input_tokens: 50, cache_read_input_tokens: 2728 },
    }),
    bill: { input: 2781, output: 31, cached: 2728, written: 50 },
  },
  {
    ...{ provider: 'anthropic', kind: 'its own names with a total', source: 'Helicone/helicone#4655' },
    told: usage({
      ...{ input_tokens: 30, output_tokens: 31, total_tokens: 2839 },
      ...{ cache_creation_input_tokens: 50, cache_read_input_tokens: 2728 },
    }),
    bill: { input: 2808, output: 31, cached: 2728, written: 50 },
  },
  {
    ...{ provider: 'gemini', kind: 'thoughts in the total alone', source: 'mozilla-ai/any-llm#1290' },
    told: usage({ prompt_tokens: 20, completion_tokens: 198, total_tokens: 623 }),
    bill: { input: 20, output: 603 },
  },
  {
    ...{ provider: 'gemini', kind: 'thoughts beside the output', source: 'langfuse/langfuse#16321' },
    told: usage({
      ...{ prompt_tokens: 36, completion_tokens: 10, total_tokens: 736 },
      completion_tokens_details: { reasoning_tokens: 690 },
    }),
    bill: { input: 36, output: 700 },
    reasoning: 690,
  },
  {
    ...{ provider: 'gemini', kind: 'tokens of its tools in the total', source: 'ai.google.dev/gemini-api/docs/tokens' },
    told: usage({
      ...{ prompt_tokens: 36, completion_tokens: 10, total_tokens: 1736 },
      completion_tokens_details: { reasoning_tokens: 690 },
    }),
    bill: { input: 36, output: 700 },
    reasoning: 690,
  },
  {
    ...{
      provider: 'vertex',
      kind: 'thoughts beside the output',
      source: 'aimlapi documentation of gemini-3.1-pro-preview',
    },
    told: usage({
      ...{ completion_tokens: 566, prompt_tokens: 9, total_tokens: 1521 },
      completion_tokens_details: { reasoning_tokens: 946 },
      extra_properties: { google: { traffic_type: 'ON_DEMAND' } },
    }),
    bill: { input: 9, output: 1512 },
    reasoning: 946,
  },
  {
    ...{ provider: 'xai', kind: 'reasoning beside the output', source: 'docs.x.ai deferred chat completions' },
    told: usage({
      ...{ prompt_tokens: 26, completion_tokens: 168, total_tokens: 498, num_sources_used: 0 },
      prompt_tokens_details: { text_tokens: 26, audio_tokens: 0, image_tokens: 0, cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 304, audio_tokens: 0, accepted_prediction_tokens: 0 },
    }),
    bill: { input: 26, output: 472, cached: 4 },
    reasoning: 304,
  },
  {
    ...{ provider: 'xai', kind: 'no reasoning', source: 'docs.x.ai prompt caching' },
    told: usage({
      ...{ prompt_tokens: 125, completion_tokens: 48, total_tokens: 173 },
      prompt_tokens_details: { text_tokens: 125, audio_tokens: 0, image_tokens: 0, cached_tokens: 98 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0, rejected_prediction_tokens: 0 },
    }),
    bill: { input: 125, output: 48, cached: 98 },
  },
  {
    ...{ provider: 'deepseek', kind: 'hits and misses', source: 'openclaude#571' },
    told: usage({
      ...{ prompt_tokens: 1000, completion_tokens: 10, total_tokens: 1010 },
      ...{ prompt_cache_hit_tokens: 900, prompt_cache_miss_tokens: 100 },
    }),
    bill: { input: 1000, output: 10, cached: 900 },
  },
  {
    ...{ provider: 'deepseek', kind: 'hits under both names', source: 'OpenCode Zen, deepseek-v4-flash-free' },
    told: usage({
      ...{ prompt_tokens: 2056, completion_tokens: 252, total_tokens: 2308 },
      ...{ prompt_cache_hit_tokens: 1944, prompt_cache_miss_tokens: 112 },
      prompt_tokens_details: { cached_tokens: 1944 },
      completion_tokens_details: { reasoning_tokens: 180 },
    }),
    bill: { input: 2056, output: 252, cached: 1944 },
    reasoning: 180,
  },
  {
    ...{ provider: 'deepseek', kind: 'a prompt in two parts', source: 'api-docs.deepseek.com/guides/kv_cache' },
    told: usage({ prompt_cache_hit_tokens: 10, prompt_cache_miss_tokens: 5, completion_tokens: 20 }),
    bill: { input: 15, output: 20, cached: 10 },
  },
  {
    ...{ provider: 'mistral', kind: 'cached', source: 'mistralai/client-ts#240' },
    told: usage({
      ...{ prompt_tokens: 1013, total_tokens: 1043, completion_tokens: 30 },
      prompt_tokens_details: { cached_tokens: 1008 },
    }),
    bill: { input: 1013, output: 30, cached: 1008 },
  },
  {
    ...{ provider: 'mistral', kind: 'cached by its other names', source: 'vercel/ai#14382' },
    told: usage({
      ...{ prompt_tokens: 801, total_tokens: 803, completion_tokens: 2, num_cached_tokens: 768 },
      ...{ prompt_token_details: { cached_tokens: 768 }, prompt_audio_seconds: null },
    }),
    bill: { input: 801, output: 2, cached: 768 },
  },
  {
    ...{ provider: 'groq', kind: 'in x_groq', source: 'vercel/ai#1651' },
    told: {
      answer: {
        x_groq: {
          id: 'req_01hy8ppkajfqk987jv2vx88m9r',
          usage: {
            ...{ queue_time: 0.07535312, prompt_tokens: 23, prompt_time: 0.006, completion_tokens: 19 },
            ...{ completion_time: 0.022, total_tokens: 42, total_time: 0.027999999999999997 },
          },
        },
      },
    },
    bill: { input: 23, output: 19 },
  },
  {
    ...{ provider: 'groq', kind: 'beside an id in x_groq', source: 'vercel/ai#8723' },
    told: {
      answer: {
        usage: {
          ...{ queue_time: 0.147255087, prompt_tokens: 40, completion_tokens: 25, total_tokens: 65 },
          ...{ prompt_tokens_details: { cached_tokens: 32 }, completion_tokens_details: { reasoning_tokens: 9 } },
        },
        x_groq: { id: 'req_01jrtvd4tye14v6tchdwj65nce' },
      },
    },
    bill: { input: 40, output: 25, cached: 32 },
    reasoning: 9,
  },
  {
    ...{
      provider: 'cerebras',
      kind: 'beside time_info',
      source: 'Cerebras/cerebras-cloud-sdk-python types/chat/chat_completion.py',
    },
    told: {
      answer: {
        usage: {
          ...{ prompt_tokens: 12, completion_tokens: 30, total_tokens: 42 },
          prompt_tokens_details: { cached_tokens: 0 },
        },
        time_info: { queue_time: 0.0001, prompt_time: 0.002, completion_time: 0.01, total_time: 0.02 },
      },
    },
    bill: { input: 12, output: 30 },
  },
  {
    ...{ provider: 'together', kind: 'three counts', source: 'togethercomputer/together-python types/common.py' },
    told: usage({ prompt_tokens: 31, completion_tokens: 57, total_tokens: 88 }),
    bill: { input: 31, output: 57 },
  },
  {
    ...{ provider: 'together', kind: 'cached at the top', source: 'docs.together.ai/reference/chat-completions' },
    told: usage({ prompt_tokens: 310, completion_tokens: 57, total_tokens: 367, cached_tokens: 256 }),
    bill: { input: 310, output: 57, cached: 256 },
  },
  {
    ...{ provider: 'fireworks', kind: 'cached', source: 'langchain-ai/langchain#36977' },
    told: usage({
      ...{ prompt_tokens: 65, completion_tokens: 251, total_tokens: 316 },
      prompt_tokens_details: { cached_tokens: 64 },
    }),
    bill: { input: 65, output: 251, cached: 64 },
  },
  {
    ...{ provider: 'openrouter', kind: 'with its cost', source: 'openrouter.ai/docs/use-cases/usage-accounting' },
    told: usage({
      ...{ prompt_tokens: 194, completion_tokens: 208, total_tokens: 402, cost: 0.95, is_byok: false },
      prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 100, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 179, image_tokens: 0 },
      cost_details: { upstream_inference_cost: 19 },
    }),
    bill: { input: 194, output: 208, cached: 60, written: 100 },
    reasoning: 179,
  },
  {
    ...{
      provider: 'openrouter',
      kind: 'details that are null',
      source: 'openrouter.ai/docs/use-cases/usage-accounting',
    },
    told: usage({
      ...{ prompt_tokens: 1200, completion_tokens: 300, total_tokens: 1500, cost: 0.00523535 },
      prompt_tokens_details: { audio_tokens: null, cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: null, accepted_prediction_tokens: null },
    }),
    bill: { input: 1200, output: 300 },
  },
  {
    ...{ provider: 'dashscope', kind: 'written for five minutes', source: 'BerriAI/litellm tests of dashscope costs' },
    told: usage({
      ...{ prompt_tokens: 2059, completion_tokens: 201, total_tokens: 2260 },
      prompt_tokens_details: {
        ...{ cached_tokens: 0, text_tokens: 2059, cache_type: 'ephemeral', cache_creation_input_tokens: 2048 },
        cache_creation: { ephemeral_5m_input_tokens: 2048 },
      },
      completion_tokens_details: { reasoning_tokens: 170, text_tokens: 201 },
    }),
    bill: { input: 2059, output: 201, written: 2048 },
    reasoning: 170,
  },
  {
    ...{
      provider: 'dashscope',
      kind: 'written, one level deeper',
      source: 'help.aliyun.com/model-studio/context-cache',
    },
    told: usage({
      ...{ prompt_tokens: 3019, completion_tokens: 104, total_tokens: 3123 },
      prompt_tokens_details: {
        cached_tokens: 2048,
        cache_creation: { cache_creation_input_tokens: 500, cache_type: 'ephemeral' },
      },
    }),
    bill: { input: 3019, output: 104, cached: 2048, written: 500 },
  },
  {
    ...{
      provider: 'dashscope',
      kind: 'names of Responses',
      source: 'alibabacloud.com/help/model-studio session cache',
    },
    told: usage({
      ...{ input_tokens: 1524, output_tokens: 1534, total_tokens: 3058 },
      output_tokens_details: { reasoning_tokens: 1187 },
      prompt_tokens_details: {
        ...{ cached_tokens: 1305, cache_type: 'ephemeral', cache_creation_input_tokens: 213 },
        cache_creation: { ephemeral_5m_input_tokens: 213 },
      },
    }),
    bill: { input: 1524, output: 1534, cached: 1305, written: 213 },
    reasoning: 1187,
  },
  {
    ...{ provider: 'moonshot', kind: 'inside its choice', source: 'earendil-works/pi#2017' },
    told: { choice: { usage: { prompt_tokens: 19, completion_tokens: 13, total_tokens: 32 } } },
    bill: { input: 19, output: 13 },
  },
  {
    ...{ provider: 'moonshot', kind: 'inside its choice and at the top', source: 'Bike4Mind/bike4mind#1089' },
    told: {
      choice: { usage: { prompt_tokens: 2989, completion_tokens: 13, total_tokens: 3002 } },
      answer: { usage: { prompt_tokens: 2989, completion_tokens: 13, total_tokens: 3002, cached_tokens: 2989 } },
    },
    bill: { input: 2989, output: 13, cached: 2989 },
  },
  {
    ...{ provider: 'zai', kind: 'cached', source: 'docs.z.ai/guides/capabilities/cache' },
    told: usage({
      ...{ prompt_tokens: 1200, completion_tokens: 300, total_tokens: 1500 },
      prompt_tokens_details: { cached_tokens: 800 },
    }),
    bill: { input: 1200, output: 300, cached: 800 },
  },
  {
    ...{ provider: 'vllm', kind: 'details that are null', source: 'vllm-project/vllm#44398' },
    told: usage({ prompt_tokens: 26, total_tokens: 36, completion_tokens: 10, prompt_tokens_details: null }),
    bill: { input: 26, output: 10 },
  },
  {
    ...{ provider: 'sglang', kind: 'reasoning at the top', source: 'sgl-project/sglang#17156' },
    told: usage({
      ...{ prompt_tokens: 29, total_tokens: 134, completion_tokens: 105 },
      ...{ prompt_tokens_details: null, reasoning_tokens: 80 },
    }),
    bill: { input: 29, output: 105 },
    reasoning: 80,
  },
  {
    ...{ provider: 'llamacpp', kind: 'timings alone', source: 'ggml-org/llama.cpp#15827' },
    told: {
      answer: {
        timings: {
          ...{ cache_n: 236, prompt_n: 1, prompt_ms: 30.958, prompt_per_token_ms: 30.958 },
          ...{ predicted_n: 35, predicted_ms: 661.064, predicted_per_second: 52.94494935437416 },
        },
      },
    },
    bill: { input: 237, output: 35, cached: 236 },
  },
  {
    ...{ provider: 'llamacpp', kind: 'hits in timings', source: 'ggml-org/llama.cpp#15827' },
    told: {
      answer: {
        usage: { completion_tokens: 8, prompt_tokens: 312, total_tokens: 320 },
        timings: { cache_n: 311, prompt_n: 1, predicted_n: 8, predicted_ms: 782.808 },
      },
    },
    bill: { input: 312, output: 8, cached: 311 },
  },
  {
    ...{ provider: 'ollama', kind: 'cached', source: 'stdapi-ai/stdapi.ai#252' },
    told: usage({
      ...{ prompt_tokens: 29, completion_tokens: 25, total_tokens: 54 },
      prompt_tokens_details: { cached_tokens: 20 },
    }),
    bill: { input: 29, output: 25, cached: 20 },
  },
  {
    ...{ provider: 'ollama', kind: 'its own names', source: 'microsoft/foundry-dev-tools#217' },
    told: usage({ prompt_eval_count: 29, prompt_eval_duration: 516695792, eval_count: 25, eval_duration: 321374542 }),
    bill: { input: 29, output: 25 },
  },
  {
    ...{ provider: 'litellm', kind: "Anthropic's names for parts of the prompt", source: 'BerriAI/litellm#39505' },
    told: usage({
      ...{ prompt_tokens: 1000, completion_tokens: 10, total_tokens: 1010 },
      ...{ cache_read_input_tokens: 900, cache_creation_input_tokens: 50 },
    }),
    bill: { input: 1000, output: 10, cached: 900, written: 50 },
  },
  {
    ...{ provider: 'litellm', kind: 'all that it has', source: 'BerriAI/litellm#22984' },
    told: usage({
      ...{ prompt_tokens: 1017, completion_tokens: 4, total_tokens: 1021 },
      prompt_tokens_details: {
        ...{ cached_tokens: 900, text_tokens: 67, cache_creation_tokens: 50 },
        cache_creation_token_details: { ephemeral_5m_input_tokens: 50, ephemeral_1h_input_tokens: 0 },
      },
      ...{ cache_creation_input_tokens: 50, cache_read_input_tokens: 900 },
    }),
    bill: { input: 1017, output: 4, cached: 900, written: 50 },
  },
  {
    ...{ provider: 'litellm', kind: 'reasoning that it took out of the output', source: 'ARahim3/mlx-dspark#37' },
    told: usage({
      ...{ prompt_tokens: 65, completion_tokens: 0, total_tokens: 65 },
      completion_tokens_details: { reasoning_tokens: 381 },
    }),
    bill: { input: 65, output: 381 },
    reasoning: 381,
  },
  {
    ...{ provider: 'perplexity', kind: 'reasoning beyond the total', source: 'vercel/ai tests of perplexity' },
    told: usage({
      ...{ prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
      ...{ citation_tokens: 30, num_search_queries: 40, reasoning_tokens: 50 },
    }),
    bill: { input: 10, output: 50 },
    reasoning: 50,
  },
  {
    ...{
      provider: 'perplexity',
      kind: 'with its cost',
      source: 'docs.perplexity.ai/api-reference/chat-completions-post',
    },
    told: usage({
      ...{ prompt_tokens: 8, completion_tokens: 439, total_tokens: 447, search_context_size: 'low' },
      cost: { input_tokens_cost: 2.4e-5, output_tokens_cost: 0.006585, request_cost: 0.006, total_cost: 0.013 },
    }),
    bill: { input: 8, output: 439 },
  },
  {
    ...{ provider: 'cohere', kind: 'its form of OpenAI', source: 'docs.cohere.com/docs/compatibility-api' },
    told: usage({ prompt_tokens: 11, completion_tokens: 38, total_tokens: 49 }),
    bill: { input: 11, output: 38 },
  },
  {
    ...{ provider: 'cohere', kind: 'billed units', source: 'cohere-ai/cohere-python types/usage.py' },
    told: usage({
      billed_units: { input_tokens: 5, output_tokens: 38 },
      tokens: { input_tokens: 71, output_tokens: 42 },
    }),
    bill: { input: 5, output: 38 },
  },
  {
    ...{ provider: 'others', kind: 'integers as texts', source: 'protobuf.dev/programming-guides/json' },
    told: usage({ prompt_tokens: '36', completion_tokens: '10', total_tokens: '46' }),
    bill: { input: 36, output: 10 },
  },
  {
    ...{ provider: 'others', kind: 'no total', source: 'tmc/langchaingo#1015' },
    told: usage({ prompt_tokens: 36, completion_tokens: 10 }),
    bill: { input: 36, output: 10 },
  },
  {
    ...{
      provider: 'bedrock',
      kind: 'its own names',
      source: 'docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html',
    },
    told: usage({ inputTokens: 36, outputTokens: 10, totalTokens: 46 }),
    bill: { input: 36, output: 10 },
  },
  {
    ...{
      provider: 'bedrock',
      kind: 'its own names, cached',
      source: 'docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html',
    },
    told: usage({
      inputTokens: 36,
      outputTokens: 10,
      totalTokens: 1046,
      cacheReadInputTokens: 900,
      cacheWriteInputTokens: 100,
    }),
    bill: { input: 1036, output: 10, cached: 900, written: 100 },
  },
  {
    ...{
      provider: 'bedrock',
      kind: 'its own names, cached without a total',
      source: 'docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html',
    },
    told: usage({ inputTokens: 36, outputTokens: 10, cacheReadInputTokens: 900, cacheWriteInputTokens: 0 }),
    bill: { input: 936, output: 10, cached: 900 },
  },
  {
    ...{ provider: 'gemini', kind: 'its own names', source: 'ai.google.dev/api/generate-content#UsageMetadata' },
    told: { answer: { usageMetadata: { promptTokenCount: 36, candidatesTokenCount: 10, totalTokenCount: 46 } } },
    bill: { input: 36, output: 10 },
  },
  {
    ...{
      provider: 'gemini',
      kind: 'its own names, with thoughts',
      source: 'ai.google.dev/api/generate-content#UsageMetadata',
    },
    told: {
      answer: {
        usageMetadata: {
          promptTokenCount: 36,
          candidatesTokenCount: 10,
          thoughtsTokenCount: 190,
          totalTokenCount: 236,
        },
      },
    },
    bill: { input: 36, output: 200 },
    reasoning: 190,
  },
  {
    ...{
      provider: 'gemini',
      kind: 'its own names, cached',
      source: 'ai.google.dev/api/generate-content#UsageMetadata',
    },
    told: usage({
      promptTokenCount: 1000,
      cachedContentTokenCount: 900,
      candidatesTokenCount: 10,
      totalTokenCount: 1010,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: 1000 }],
    }),
    bill: { input: 1000, output: 10, cached: 900 },
  },
  {
    ...{ provider: 'gemini', kind: 'thoughts alone', source: 'router-for-me/CLIProxyAPI#5733' },
    told: usage({
      completion_tokens: 0,
      total_tokens: 81,
      prompt_tokens: 21,
      completion_tokens_details: { reasoning_tokens: 60 },
    }),
    bill: { input: 21, output: 60 },
    reasoning: 60,
  },
  {
    ...{
      provider: 'vertex',
      kind: 'its own names in small letters',
      source: 'ai.google.dev/api/generate-content#UsageMetadata',
    },
    told: { answer: { usage_metadata: { prompt_token_count: 36, candidates_token_count: 10, total_token_count: 46 } } },
    bill: { input: 36, output: 10 },
  },
  {
    ...{
      provider: 'vertex',
      kind: 'its own names, thoughts and a cache',
      source: 'ai.google.dev/api/generate-content#UsageMetadata',
    },
    told: {
      answer: {
        usage_metadata: {
          ...{ prompt_token_count: 1000, candidates_token_count: 10, thoughts_token_count: 40 },
          ...{ cached_content_token_count: 800, total_token_count: 1050 },
        },
      },
    },
    bill: { input: 1000, output: 50, cached: 800 },
    reasoning: 40,
  },
  {
    ...{
      provider: 'others',
      kind: 'names of the AI SDK',
      source: 'ai-sdk.dev/docs/reference/ai-sdk-core/generate-text',
    },
    told: usage({ promptTokens: 36, completionTokens: 10, totalTokens: 46 }),
    bill: { input: 36, output: 10 },
  },
  {
    ...{
      provider: 'others',
      kind: 'newer names of the AI SDK',
      source: 'ai-sdk.dev/docs/reference/ai-sdk-core/generate-text',
    },
    told: usage({ inputTokens: 1000, outputTokens: 10, totalTokens: 1010, cachedInputTokens: 900 }),
    bill: { input: 1000, output: 10, cached: 900 },
  },
  {
    ...{
      provider: 'others',
      kind: 'names of the AI SDK, with reasoning',
      source: 'ai-sdk.dev/docs/reference/ai-sdk-core/generate-text',
    },
    told: usage({ inputTokens: 36, outputTokens: 100, totalTokens: 136, reasoningTokens: 60 }),
    bill: { input: 36, output: 100 },
    reasoning: 60,
  },
  {
    ...{
      provider: 'others',
      kind: 'names of LangChain',
      source: 'reference.langchain.com/python/langchain_core/messages UsageMetadata',
    },
    told: {
      answer: {
        usage_metadata: {
          ...{ input_tokens: 1000, output_tokens: 100, total_tokens: 1100 },
          ...{ input_token_details: { cache_read: 0 }, output_token_details: { reasoning: 0 } },
        },
      },
    },
    bill: { input: 1000, output: 100 },
  },
  {
    ...{
      provider: 'others',
      kind: 'as token_usage',
      source: 'reference.langchain.com/python/langchain_core llm_output',
    },
    told: { answer: { token_usage: { prompt_tokens: 36, completion_tokens: 10, total_tokens: 46 } } },
    bill: { input: 36, output: 10 },
  },
  {
    ...{ provider: 'others', kind: 'in its message', source: 'letta-ai/letta usage statistics' },
    told: {
      choice: {
        message: {
          role: 'assistant',
          content: 'Hi',
          usage: { prompt_tokens: 36, completion_tokens: 10, total_tokens: 46 },
        },
      },
    },
    bill: { input: 36, output: 10 },
  },
  {
    ...{ provider: 'cohere', kind: 'meta of its own form', source: 'docs.cohere.com/v1/reference/chat' },
    told: {
      answer: {
        meta: { billed_units: { input_tokens: 5, output_tokens: 38 }, tokens: { input_tokens: 71, output_tokens: 42 } },
      },
    },
    bill: { input: 5, output: 38 },
  },
  {
    ...{ provider: 'cohere', kind: 'tokens alone', source: 'cohere-ai/cohere-python types/usage.py' },
    told: usage({ tokens: { input_tokens: 71, output_tokens: 42 } }),
    bill: { input: 71, output: 42 },
  },
  {
    ...{
      provider: 'cohere',
      kind: 'billed units with fractions',
      source: 'cohere-ai/cohere-python types/usage_billed_units.py',
    },
    told: usage({ billed_units: { input_tokens: 5.0, output_tokens: 38.0, search_units: 1 } }),
    bill: { input: 5, output: 38 },
  },
  {
    ...{ provider: 'others', kind: 'watsonx', source: 'ibm.github.io/watsonx-ai-python-sdk' },
    told: usage({
      prompt_tokens: 36,
      completion_tokens: 10,
      total_tokens: 46,
      input_token_count: 36,
      generated_token_count: 10,
    }),
    bill: { input: 36, output: 10 },
  },
  {
    ...{ provider: 'others', kind: 'older names of watsonx', source: 'ibm.github.io/watsonx-ai-python-sdk' },
    told: usage({ input_token_count: 36, generated_token_count: 10 }),
    bill: { input: 36, output: 10 },
  },
  {
    ...{ provider: 'ollama', kind: 'its own names', source: 'github.com/ollama/ollama/blob/main/docs/api.md' },
    told: usage({ prompt_eval_count: 36, eval_count: 10 }),
    bill: { input: 36, output: 10 },
  },
  {
    ...{
      provider: 'llamacpp',
      kind: 'names of its own endpoint',
      source: 'github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md',
    },
    told: usage({ tokens_evaluated: 36, tokens_predicted: 10, tokens_cached: 45 }),
    bill: { input: 36, output: 10 },
  },
  {
    ...{
      provider: 'llamacpp',
      kind: 'timings alone',
      source: 'github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md',
    },
    told: { answer: { timings: { prompt_n: 6, cache_n: 30, predicted_n: 10, prompt_ms: 12.5 } } },
    bill: { input: 36, output: 10, cached: 30 },
  },
  {
    ...{ provider: 'tgi', kind: 'three counts', source: 'huggingface/text-generation-inference router/src/chat.rs' },
    told: usage({ prompt_tokens: 36, completion_tokens: 10, total_tokens: 46 }),
    bill: { input: 36, output: 10 },
  },
  {
    ...{ provider: 'sglang', kind: 'reasoning at the top', source: 'sgl-project/sglang protocol.py UsageInfo' },
    told: usage({
      prompt_tokens: 36,
      total_tokens: 136,
      completion_tokens: 100,
      prompt_tokens_details: null,
      reasoning_tokens: 60,
    }),
    bill: { input: 36, output: 100 },
    reasoning: 60,
  },
  {
    ...{ provider: 'sglang', kind: 'cached', source: 'sgl-project/sglang --enable-cache-report' },
    told: usage({
      prompt_tokens: 1000,
      total_tokens: 1010,
      completion_tokens: 10,
      prompt_tokens_details: { cached_tokens: 960 },
    }),
    bill: { input: 1000, output: 10, cached: 960 },
  },
  {
    ...{ provider: 'vllm', kind: 'pictures in the prompt', source: 'vllm-project/vllm PromptTokenUsageInfo' },
    told: usage({
      prompt_tokens: 1036,
      total_tokens: 1046,
      completion_tokens: 10,
      prompt_tokens_details: { cached_tokens: 512, multimodal_tokens: 1000 },
    }),
    bill: { input: 1036, output: 10, cached: 512 },
  },
  {
    ...{ provider: 'xai', kind: 'sources and ticks', source: 'docs.x.ai/docs/api-reference' },
    told: usage({
      prompt_tokens: 36,
      completion_tokens: 10,
      total_tokens: 76,
      num_sources_used: 3,
      cost_in_usd_ticks: 158500,
      completion_tokens_details: { reasoning_tokens: 30 },
    }),
    bill: { input: 36, output: 40 },
    reasoning: 30,
  },
  {
    ...{ provider: 'deepseek', kind: 'misses alone', source: 'api-docs.deepseek.com/guides/kv_cache' },
    told: usage({
      prompt_tokens: 36,
      completion_tokens: 10,
      total_tokens: 46,
      prompt_cache_hit_tokens: 0,
      prompt_cache_miss_tokens: 36,
    }),
    bill: { input: 36, output: 10 },
  },
  {
    ...{ provider: 'groq', kind: 'an empty x_groq', source: 'groq/groq-python types/chat/chat_completion_chunk.py' },
    told: {
      answer: { usage: { prompt_tokens: 36, completion_tokens: 10, total_tokens: 46 }, x_groq: { usage: null } },
    },
    bill: { input: 36, output: 10 },
  },
  {
    ...{ provider: 'groq', kind: 'of its tools', source: 'console.groq.com/docs/agentic-tooling' },
    told: {
      answer: {
        usage: { prompt_tokens: 136, completion_tokens: 40, total_tokens: 176, queue_time: 0.1 },
        usage_breakdown: { models: [{ model: 'a', usage: { prompt_tokens: 100, completion_tokens: 30 } }] },
      },
    },
    bill: { input: 136, output: 40 },
  },
  {
    ...{
      provider: 'cerebras',
      kind: 'predicted outputs',
      source: 'inference-docs.cerebras.ai/capabilities/predicted-outputs',
    },
    told: usage({
      prompt_tokens: 36,
      completion_tokens: 30,
      total_tokens: 66,
      completion_tokens_details: { accepted_prediction_tokens: 10, rejected_prediction_tokens: 2 },
    }),
    bill: { input: 36, output: 30 },
  },
  {
    ...{ provider: 'fireworks', kind: 'cached at the top', source: 'docs.fireworks.ai/guides/prompt-caching' },
    told: usage({
      prompt_tokens: 1000,
      completion_tokens: 10,
      total_tokens: 1010,
      cached_prompt_tokens: 0,
      prompt_tokens_details: { cached_tokens: 900 },
    }),
    bill: { input: 1000, output: 10, cached: 900 },
  },
  {
    ...{ provider: 'together', kind: 'details that are empty', source: 'docs.together.ai/reference/chat-completions' },
    told: usage({
      prompt_tokens: 36,
      completion_tokens: 10,
      total_tokens: 46,
      prompt_tokens_details: {},
      completion_tokens_details: {},
    }),
    bill: { input: 36, output: 10 },
  },
  {
    ...{
      provider: 'openrouter',
      kind: 'pictures and a cost as a text',
      source: 'openrouter.ai/docs/use-cases/usage-accounting',
    },
    told: usage({
      prompt_tokens: 36,
      completion_tokens: 1300,
      total_tokens: 1336,
      cost: '0.01',
      completion_tokens_details: { reasoning_tokens: 0, image_tokens: 1290 },
    }),
    bill: { input: 36, output: 1300 },
  },
  {
    ...{ provider: 'dashscope', kind: 'counts of each medium', source: 'help.aliyun.com/model-studio/qwen-omni' },
    told: usage({
      prompt_tokens: 36,
      completion_tokens: 10,
      total_tokens: 46,
      prompt_tokens_details: { text_tokens: 30, image_tokens: 6 },
      completion_tokens_details: { text_tokens: 10 },
    }),
    bill: { input: 36, output: 10 },
  },
  {
    ...{ provider: 'moonshot', kind: 'cached, and null at the top', source: 'platform.moonshot.ai/docs/api/chat' },
    told: {
      choice: { usage: { prompt_tokens: 1000, completion_tokens: 10, total_tokens: 1010, cached_tokens: 768 } },
      answer: { usage: null },
    },
    bill: { input: 1000, output: 10, cached: 768 },
  },
  {
    ...{ provider: 'zai', kind: 'null details', source: 'docs.z.ai/api-reference/llm/chat-completion' },
    told: usage({
      prompt_tokens: 36,
      completion_tokens: 10,
      total_tokens: 46,
      prompt_tokens_details: { cached_tokens: null },
    }),
    bill: { input: 36, output: 10 },
  },
  {
    ...{ provider: 'mistral', kind: 'null counts beside', source: 'mistralai/client-python UsageInfo' },
    told: usage({
      prompt_tokens: 36,
      total_tokens: 46,
      completion_tokens: 10,
      prompt_audio_seconds: null,
      num_cached_tokens: null,
    }),
    bill: { input: 36, output: 10 },
  },
  {
    ...{
      provider: 'litellm',
      kind: 'both families of names',
      source: 'docs.litellm.ai/docs/completion/prompt_caching',
    },
    told: usage({
      prompt_tokens: 1036,
      completion_tokens: 10,
      total_tokens: 1046,
      cache_read_input_tokens: 900,
      cache_creation_input_tokens: 100,
      prompt_tokens_details: { cached_tokens: 900, cache_creation_tokens: 100 },
    }),
    bill: { input: 1036, output: 10, cached: 900, written: 100 },
  },
  {
    ...{
      provider: 'transformers',
      kind: 'nothing but a total and a prompt',
      source: 'huggingface/transformers serving',
    },
    told: usage({ prompt_tokens: 36, total_tokens: 46 }),
    bill: { input: 36, output: 10 },
  },
  {
    ...{ provider: 'others', kind: 'ERNIE, with plugins', source: 'cloud.baidu.com/doc/qianfan-api' },
    told: usage({ prompt_tokens: 36, completion_tokens: 10, total_tokens: 46, plugins: [] }),
    bill: { input: 36, output: 10 },
  },
  {
    ...{ provider: 'others', kind: 'MiniMax', source: 'platform.minimax.io/docs/api-reference/text-openai-api' },
    told: usage({
      total_tokens: 146,
      total_characters: 0,
      prompt_tokens: 36,
      completion_tokens: 110,
      completion_tokens_details: { reasoning_tokens: 90 },
    }),
    bill: { input: 36, output: 110 },
    reasoning: 90,
  },
  {
    ...{ provider: 'others', kind: 'counts as whole fractions', source: 'go encoding/json of float64' },
    told: usage({ prompt_tokens: 36.0, completion_tokens: 10.0, total_tokens: 46.0 }),
    bill: { input: 36, output: 10 },
  },
  {
    ...{ provider: 'others', kind: 'thinking by another name', source: 'platform.claude.com/docs extended thinking' },
    told: usage({
      prompt_tokens: 36,
      completion_tokens: 100,
      total_tokens: 136,
      completion_tokens_details: { thinking_tokens: 60 },
    }),
    bill: { input: 36, output: 100 },
    reasoning: 60,
  },
  {
    ...{
      provider: 'others',
      kind: 'details in the names of Realtime',
      source: 'platform.openai.com/docs/api-reference/realtime-server-events',
    },
    told: usage({
      input_tokens: 1000,
      output_tokens: 10,
      total_tokens: 1010,
      input_token_details: { cached_tokens: 900, text_tokens: 1000 },
      output_token_details: { text_tokens: 10 },
    }),
    bill: { input: 1000, output: 10, cached: 900 },
  },
]
