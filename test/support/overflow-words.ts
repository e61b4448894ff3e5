/** How backends say that a prompt is too long, word by word, and what they say when it is something else. */

type Words = readonly [who: string, text: string, numbers?: object]

const WORDS: readonly Words[] = [
  [
    'OpenAI',
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens. Please reduce the length of the messages.",
    { limit: 8192, input: 9001 },
  ],
  [
    'OpenAI, of completions',
    "This model's maximum context length is 8191 tokens, however you requested 10346 tokens (10346 in your prompt; 0 for the completion). Please reduce your prompt; or completion length.",
    { limit: 8191, input: 10346, output: 0 },
  ],
  [
    'OpenAI, of Responses',
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
  ],
  [
    'OpenAI, of GPT-5',
    'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 284000 tokens. Please reduce the length of the messages.',
    { limit: 272000, input: 284000 },
  ],
  ['Anthropic', 'prompt is too long: 213462 tokens > 200000 maximum', { limit: 200000, input: 213462 }],
  [
    'Anthropic, with the cap',
    'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again',
    { limit: 200000, input: 190000, output: 20000 },
  ],
  [
    'Gemini',
    'The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).',
    { limit: 1048576, input: 1196265 },
  ],
  ['Gemini, newer', 'The input token count exceeds the maximum number of tokens allowed 1048576.', { limit: 1048576 }],
  [
    'Vertex',
    'Unable to submit request because the input token count is 135538 but model only supports up to 32768. Reduce the input token count and try again.',
    { limit: 32768, input: 135538 },
  ],
  ['Bedrock', 'Input is too long for requested model.'],
  [
    'Bedrock, of embeddings',
    '400 Bad Request: Too many input tokens. Max input tokens: 8192, request input token count: 9279',
    { limit: 8192, input: 9279 },
  ],
  [
    'xAI',
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    { limit: 131072, input: 537812 },
  ],
  ['Groq', 'Please reduce the length of the messages or completion.'],
  ['Cerebras', 'Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192'],
  [
    'Mistral',
    'Prompt contains 40960 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    { input: 40960 },
  ],
  [
    'DeepSeek',
    "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens (62000 in the messages, 8000 in the completion). Please reduce the length of the messages or completion.",
    { limit: 65536, input: 62000, output: 8000 },
  ],
  [
    'Moonshot',
    'Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)',
    { limit: 262144, input: 291351 },
  ],
  ['Z.ai', 'Prompt exceeds max length'],
  ['Z.ai, by its code', 'model_context_window_exceeded'],
  [
    'DashScope',
    '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 258048]',
    { limit: 258048 },
  ],
  ['Volcengine', 'Total tokens of image and text exceed max message tokens. Request id: 0217'],
  ['MiniMax', 'invalid params, context window exceeds limit (2013)'],
  [
    'Together',
    "The input (516368 tokens) is longer than the model's context length (262144 tokens).",
    { limit: 262144, input: 516368 },
  ],
  [
    'OpenRouter',
    'This endpoint\'s maximum context length is 65536 tokens. However, you requested about 80000 tokens (79000 of text input, 1000 in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
    { limit: 65536 },
  ],
  [
    'Poolside',
    'Input length 30000 exceeds the maximum allowed input length of 26214 tokens.',
    { limit: 26214, input: 30000 },
  ],
  ['DeepInfra', 'Requested input length 39818 exceeds maximum input length 32767', { limit: 32767, input: 39818 }],
  [
    'Cohere',
    'too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs, or setting prompt_truncation.',
  ],
  [
    'Cloudflare',
    'AiError: The estimated number of input and maximum output tokens (35000) exceeded this model context window limit (24000)',
    { limit: 24000 },
  ],
  ['GitHub Copilot', 'prompt token count of 200000 exceeds the limit of 128000', { limit: 128000, input: 200000 }],
  [
    'vLLM',
    "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 32768 tokens and your request has 1020 input tokens (32000 > 32768 - 1020).",
    { limit: 32768, input: 1020 },
  ],
  [
    'vLLM, newer',
    "You passed 4097 input tokens and requested 0 output tokens. However, the model's context length is only 4096 tokens.",
    { limit: 4096, input: 4097, output: 0 },
  ],
  ['vLLM, of what is left', 'max_tokens must be at least 1, got -7232. (parameter=max_tokens, value=-7232)'],
  [
    'vLLM, of the decoder',
    'The decoder prompt (length 5000) is longer than the maximum model length of 4096.',
    { limit: 4096, input: 5000 },
  ],
  [
    'vLLM, of a length',
    "Input length (265330) exceeds model's maximum context length (262144).",
    { limit: 262144, input: 265330 },
  ],
  [
    'SGLang',
    "Requested token count exceeds the model's maximum context length of 131072 tokens. You requested a total of 179069 tokens: 113533 tokens from the input messages and 65536 tokens for the completion.",
    { limit: 131072, input: 113533, output: 65536 },
  ],
  [
    'llama.cpp',
    'request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it',
    { limit: 8192, input: 9000 },
  ],
  ['llama.cpp, of embeddings', 'input is larger than the max context size. skipping'],
  [
    'llama.cpp, of a batch',
    'input (3926 tokens) is too large to process. increase the physical batch size (current batch size: 2048)',
    { input: 3926 },
  ],
  ['llama-cpp-python', 'Requested tokens (5000) exceed context window of 4096', { limit: 4096 }],
  ['Ollama', 'prompt too long; exceeded max context length by 2048 tokens'],
  [
    'Ollama, of its cloud',
    'The prompt is too long: 265392, model maximum context length: 262144',
    { limit: 262144, input: 265392 },
  ],
  ['Ollama, of embeddings', 'the input length exceeds the context length'],
  [
    'LM Studio',
    'The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length',
  ],
  [
    'LM Studio, older',
    'Trying to keep the first 5143 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
    { limit: 4096 },
  ],
  [
    'TGI',
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 20 `max_new_tokens`',
    { limit: 4096, input: 5000 },
  ],
  ['TEI', 'Input validation error: `inputs` must have less than 512 tokens. Given: 700', { limit: 512 }],
  [
    'TensorRT-LLM',
    'The sum of prompt length (72417.0), query length (0) should not exceed max_num_tokens (69632)',
    { limit: 69632, input: 72417 },
  ],
  [
    'DS4',
    'Prompt has 100,000 tokens, but the configured context size is 81,920 tokens',
    { limit: 81920, input: 100000 },
  ],
  [
    'LiteLLM',
    "litellm.ContextWindowExceededError: litellm.BadRequestError: OpenAIException - This model's maximum context length is 128000 tokens.",
    { limit: 128000 },
  ],
  [
    'SiliconFlow',
    'length of prompt_tokens (57535) must be less than max_seq_len (32768).',
    { limit: 32768, input: 57535 },
  ],
  [
    'Nova',
    'Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.',
  ],
  [
    'watsonx',
    "Invalid input argument for Model 'ibm/granite-4': the number of input tokens 5000 cannot exceed the total tokens limit 4096 for this model",
    { limit: 4096, input: 5000 },
  ],
  ['OpenVINO', 'Number of prompt tokens: 5000 exceeds model max length: 4096', { limit: 4096, input: 5000 }],
  ['YandexGPT', 'number of input tokens must be no more than 8000, got 8034', { limit: 8000, input: 8034 }],
  ['GitHub Models', 'Request body too large for gpt-4o model. Max size: 8000 tokens.', { limit: 8000 }],
  ['GitHub Models, by its code', 'tokens_limit_reached'],
  [
    'SambaNova',
    'Requested generation length 1 is not possible! The provided prompt is 3834 tokens long, so generating 1 tokens requires a sequence length of 3835, but the maximum supported sequence length is just 2048!',
    { limit: 2048, input: 3834 },
  ],
  [
    'mistral.rs',
    'Prompt sequence length is greater than 4096, perhaps consider using `truncate_sequence`?',
    { limit: 4096 },
  ],
  ['TabbyAPI', 'Prompt length 5000 is greater than max_seq_len 4096', { limit: 4096, input: 5000 }],
  [
    'MLC LLM',
    'Request prompt has 5000 tokens in total, larger than the model input length limit 4096.',
    { limit: 4096, input: 5000 },
  ],
  [
    'Volcengine, of a length',
    'Input length 131330 exceeds the maximum length 131072. Request id: 0217',
    { limit: 131072, input: 131330 },
  ],
  [
    'Ray Serve',
    'Input too long. Recieved 5000 tokens, but the maximum input length is 4096 tokens.',
    { limit: 4096, input: 5000 },
  ],
  ['Z.ai, in Chinese', 'Prompt 超长'],
  ['Qianfan', 'prompt tokens too long'],
  ['Qianfan, of characters', 'the max input characters is 11200'],
  ['Spark', 'token数量超过上限。对话历史+问题的字数太多，需要精简输入'],
  ['a gateway in Chinese', '输入内容过长，请缩短后重试'],
  ['LM Studio, of its engine', 'Context size has been exceeded.'],
  ['Anthropic, of bytes', 'messages: too many total text bytes: 15000000 > 9000000'],
  [
    'OpenAI, of one text',
    "Invalid 'messages[1].content': string too long. Expected a string with maximum length 10485760, but got a string with length 12000000 instead.",
  ],
  [
    'OpenAI, of the input of Responses',
    "Invalid 'input': string too long. Expected a string with maximum length 10485760, but got a string with length 12000000 instead.",
  ],
  [
    'OpenAI, of the number of messages',
    "Invalid 'messages': array too long. Expected an array with maximum length 2048, but got an array with length 3000 instead.",
  ],
  ['Jina', 'Single text cannot exceed 8192 tokens. Your text has 9000 tokens.', { limit: 8192, input: 9000 }],
  ['Apple', 'Exceeded model context window size'],
  ['OpenClaw', 'Context overflow: prompt too large for the model.'],
  ['Replicate', 'E1002: PromptTooLong: Prompt length exceeds maximum input length'],
  [
    'Oracle',
    'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 8000. Try using a shorter prompt.',
    { limit: 4081 },
  ],
  [
    'vLLM, of a total',
    "This model's maximum context length is 196608 tokens. However, you requested 16384 output tokens and your prompt contains at least 180225 input tokens, for a total of at least 196609 tokens. Please reduce the length of the input prompt or the number of requested output tokens.",
    { limit: 196608, input: 180225, output: 16384 },
  ],
  ['Databricks', 'The prompt is too long for the requested model'],
  [
    'text-generation-webui',
    'This model maximum context length is 2048 tokens. However, your messages resulted in over 2100 tokens and max_tokens is 16.',
    { limit: 2048 },
  ],
  ['Azure, of the content', 'Input is too long for this deployment. Please shorten your input.'],
  ['Friendli', 'The prompt token is longer than the maximum sequence length of 4096'],
  ['a proxy', 'The request exceeds the model maximum context window'],
  ['Vercel', "Input exceeds the model's input token limit"],
  ['Cerebras, by its code', 'context_length_exceeded'],
  [
    'LiteLLM, of its router',
    'litellm.ContextWindowExceededError: AnthropicException - prompt is too long: 213462 tokens > 200000 maximum',
    { limit: 200000, input: 213462 },
  ],
  [
    'NVIDIA NIM',
    'Prompt length (9000) exceeds maximum input length (8192). Set log level to info and above.',
    { limit: 8192, input: 9000 },
  ],
  ['Xinference', '[address=127.0.0.1:1, pid=1] Requested tokens (5000) exceed context window of 4096', { limit: 4096 }],
  [
    'Fireworks',
    'The prompt is too long: 140000, model maximum context length: 131071',
    { limit: 131071, input: 140000 },
  ],
]

/** Messages of providers, each with its author and the numbers in it. */
export const TOO_LONG = WORDS.map(([who, text, numbers = {}]) => [who, text, numbers] as const)

/** Messages that merely mention tokens, prompts or lengths: a shorter history would not help. */
export const OTHERWISE: readonly (readonly [who: string, text: string])[] = [
  [
    'OpenAI, of a cap',
    'max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.',
  ],
  [
    'OpenAI, of the name of the cap',
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
  ],
  [
    'Anthropic, of a cap',
    'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5',
  ],
  ['Anthropic, of a budget', '`max_tokens` must be greater than `thinking.budget_tokens`.'],
  ['Anthropic, of a picture', 'messages.1.content.0.image: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes'],
  ['DeepSeek, of a cap', 'Invalid max_tokens value, the valid range of max_tokens is [1, 8192]'],
  ['DashScope, of a cap', 'Range of max_tokens should be [1, 8192]'],
  [
    'Gemini, of a cap',
    'Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 65537 (exclusive).',
  ],
  ['vLLM, of no cap', 'max_tokens must be at least 1, got 0.'],
  ['vLLM, of a floor', 'min_tokens must be less than or equal to max_tokens=10, got 20.'],
  [
    'Cohere, of a cap',
    'too many tokens: max tokens must be less than or equal to 4096, the maximum output for this model - received 8192.',
  ],
  ['OpenAI, of a long label', 'Expected a string with maximum length 64, but got a string with length 65 instead.'],
  [
    'OpenAI, of the minute',
    'Request too large for gpt-5 in organization org-abc1 on tokens per min (TPM): Limit 30000, Requested 40000. The input or output tokens must be reduced in order to run successfully.',
  ],
  ['a tokenizer', 'token id 128256 is out of the vocabulary'],
  ['a tool', 'tools[0].function.name: string too long, at most 64 characters'],
  ['Bedrock, of too much at once', 'Too many tokens, please wait before trying again.'],
  ['Cloudflare, of a cap', 'max_tokens exceeds the limit of 8192'],
  ['vLLM, of a cap', 'max_tokens=40000 cannot be greater than max_model_len=max_total_tokens=32768.'],
  ['SiliconFlow, of a cap', 'max_tokens (40000) must be less than or equal to 16384'],
  ['watsonx, of a cap', "Invalid input argument: 'max_new_tokens' must be <= 4096"],
  [
    'OpenAI, of a tool',
    "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024, but got a string with length 1100 instead.",
  ],
  [
    'OpenAI, of a batch of inputs',
    "Invalid 'input': array too long. Expected an array with maximum length 2048, but got an array with length 3000 instead.",
  ],
  [
    'OpenAI, of tools',
    "Invalid 'tools': array too long. Expected an array with maximum length 128, but got 130 instead.",
  ],
  ['Z.ai, in Chinese', 'max_tokens 参数超出范围'],
  [
    'Groq, of the minute',
    'Request too large for model on tokens per minute (TPM): Limit 6000, Requested 7000, please reduce your message size and try again.',
  ],
  ['Qianfan, of a rate', '请求过快，token 限流'],
  [
    'Nova, of a cap',
    'The maximum tokens you requested exceeds the model limit of 10000. Try again with a maximum tokens value that is lower than 10000.',
  ],
]
