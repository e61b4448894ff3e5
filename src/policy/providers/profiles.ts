import type { Profile, ProviderName } from './profile.ts'

/** OpenAI's models that think before they answer. */
const THINKERS = ['gpt-5*', 'o1*', 'o3*', 'o4*', 'codex-*']
/** The reasoning models that answer at once. */
const TALKERS = ['gpt-5*chat*']

/** Samplers of engines, which OpenAI's own API does not have. */
const SAMPLERS = [
  ...['top_k', 'min_p', 'top_a', 'typical_p', 'repetition_penalty', 'stop_token_ids', 'include_stop_str_in_output'],
  ...['skip_special_tokens', 'spaces_between_special_tokens', 'chat_template_kwargs'],
]

const SAMPLING = [
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'logprobs',
  'top_logprobs',
  'logit_bias',
]

/** The time before its first content that a model gets which thinks where nobody sees it. */
const SILENT_THINKING = 120_000

const TRANSFORMERS_CHAT =
  'https://github.com/huggingface/transformers/blob/main/src/transformers/cli/serving/chat_completion.py'
const FIREWORKS_CHAT =
  'https://github.com/fw-ai-external/python-sdk/blob/main/src/fireworks/types/chat/completion_create_params.py'
const AZURE_REASONING = 'https://learn.microsoft.com/azure/ai-foundry/openai/how-to/reasoning'

/** Facts that hold at OpenAI and wherever its models are served. */
const OPENAI_FACTS = {
  cap: [
    {
      is: 'max_completion_tokens',
      source: [
        'https://platform.openai.com/docs/api-reference/chat/create#chat-create-max_tokens',
        'openai/openai-python#2046',
      ],
    },
  ],
  firstContentTimeout: [
    {
      is: SILENT_THINKING,
      models: THINKERS,
      but: TALKERS,
      source: ['https://platform.openai.com/docs/guides/reasoning'],
    },
  ],
} satisfies Profile['facts']

const OPENAI_DROPS = [
  {
    is: SAMPLING,
    models: THINKERS,
    but: TALKERS,
    source: [AZURE_REASONING, 'langgenius/dify#24307', 'nextai-translator/nextai-translator#1781'],
  },
  {
    is: ['stop'],
    models: ['gpt-5*', 'o3*', 'o4*'],
    but: ['o3-mini*', ...TALKERS],
    source: ['huggingface/smolagents#1671', 'crewAIInc/crewAI#2738', 'langgenius/dify#18971'],
  },
  { is: SAMPLERS, source: ['xlinx/sd-webui-decadetw-auto-prompt-llm#29'] },
] as const

const asSystem = (...source: readonly [string, ...string[]]) => ({ is: false, source }) as const

/** Instructions of harmony have the role in earnest. */
const HARMONY = ['gpt-oss*']

/** Claude's models without samplers, as each place calls them. */
const CLAUDE_DROPS = {
  is: ['temperature', 'top_p', 'top_k'],
  models: ['*claude-opus-4-7*', '*claude-opus-4.7*', '*claude-opus-4-8*', '*claude-opus-5*', '*claude-fable-5*'],
} as const

/** The facts about each provider and engine, with their sources. */
export const PROFILES: Readonly<Record<ProviderName, Profile>> = {
  openai: {
    kind: 'service',
    hosts: ['openai.com'],
    facts: {
      ...OPENAI_FACTS,
      drops: OPENAI_DROPS,
      // Organizations that are not verified may not stream its newest models.
      fetch: [{ is: 'whole', source: ['continuedev/continue#7129'] }],
    },
  },
  azure: {
    kind: 'service',
    hosts: ['openai.azure.com', 'services.ai.azure.com', 'cognitiveservices.azure.com'],
    facts: {
      ...OPENAI_FACTS,
      drops: [...OPENAI_DROPS, { is: ['prompt_cache_key'], models: ['kimi*'], source: ['zed-industries/zed#52000'] }],
    },
  },
  anthropic: {
    kind: 'service',
    hosts: ['anthropic.com'],
    facts: {
      drops: [
        {
          ...CLAUDE_DROPS,
          source: ['Mintplex-Labs/anything-llm#5821', 'sipeed/picoclaw#2939', 'The-PR-Agent/pr-agent#2456'],
        },
        // Its own form of chats does nothing with them.
        {
          is: [
            ...['frequency_penalty', 'presence_penalty', 'seed', 'logprobs', 'top_logprobs', 'logit_bias'],
            ...['store'],
          ],
          source: ['https://docs.claude.com/en/api/openai-sdk'],
        },
      ],
    },
  },
  gemini: {
    kind: 'service',
    hosts: ['generativelanguage.googleapis.com'],
    facts: {
      drops: [
        { is: ['prompt_cache_key'], source: ['leookun/cursor-byok#112'] },
        { is: ['frequency_penalty'], source: ['n4ze3m/page-assist#418', 'versun/RSSBox#132'] },
        { is: ['seed'], source: ['Vali-98/ChatterUI#227'] },
        { is: ['top_k'], source: ['MinLL/SkyrimNet-GamePlugin#77'] },
      ],
      firstContentTimeout: [
        {
          is: SILENT_THINKING,
          models: ['gemini-2.5*', 'gemini-3*'],
          source: ['https://ai.google.dev/gemini-api/docs/thinking'],
        },
      ],
    },
  },
  vertex: {
    kind: 'service',
    hosts: ['aiplatform.googleapis.com', '*-aiplatform.googleapis.com'],
    facts: {
      firstContentTimeout: [
        {
          is: SILENT_THINKING,
          models: ['gemini-2.5*', 'gemini-3*'],
          source: ['https://cloud.google.com/vertex-ai/generative-ai/docs/thinking'],
        },
      ],
    },
  },
  bedrock: {
    kind: 'service',
    hosts: ['api.aws', 'bedrock*.*.amazonaws.com'],
    facts: {
      drops: [
        {
          ...CLAUDE_DROPS,
          source: ['cline/cline#10572', 'Mintplex-Labs/anything-llm#5821', 'promptfoo/promptfoo#10307'],
        },
        { is: ['frequency_penalty'], models: ['*gpt-oss*'], source: ['brainlid/langchain#356'] },
      ],
    },
  },
  xai: {
    kind: 'service',
    hosts: ['x.ai'],
    facts: {
      drops: [
        {
          is: ['presence_penalty', 'frequency_penalty'],
          models: ['grok-4*', 'grok-3-mini*', 'grok-code*'],
          source: ['https://docs.x.ai/docs/guides/reasoning', 'QuantumNous/new-api#6081'],
        },
        {
          is: ['stop'],
          models: ['grok-4*', 'grok-3-mini*', 'grok-code*'],
          source: ['https://docs.x.ai/docs/guides/reasoning', 'mnfst/modelparams.dev#330'],
        },
        {
          is: ['reasoning_effort'],
          models: ['grok-2*', 'grok-3*', 'grok-4*', 'grok-code*'],
          but: ['grok-3-mini*', 'grok-4.3*', 'grok-4.5*', 'grok-4.6*', 'grok-4.20-multi-agent*'],
          source: ['NousResearch/hermes-agent#23435', 'llm-exe/llm-exe#509'],
        },
      ],
      firstContentTimeout: [{ is: SILENT_THINKING, models: ['grok-4*'], source: ['lobehub/lobehub#8379'] }],
    },
  },
  deepseek: {
    kind: 'service',
    hosts: ['deepseek.com'],
    facts: {
      developerRole: [asSystem('earendil-works/pi#1048', 'eclipse-theia/theia#15144')],
      firstContentTimeout: [{ is: SILENT_THINKING, source: ['https://api-docs.deepseek.com/quick_start/rate_limit'] }],
    },
  },
  mistral: {
    kind: 'service',
    hosts: ['mistral.ai'],
    facts: {
      cap: [{ is: 'max_tokens', source: ['editor-code-assistant/eca#231', 'editor-code-assistant/eca#315'] }],
      streamOptions: [{ is: false, source: ['dnakov/anon-kode#53'] }],
      callIds: [{ is: 'nine_alphanumeric', source: ['editor-code-assistant/eca#233', 'vllm-project/vllm#9020'] }],
      thoughts: [
        {
          is: 'parts',
          source: [
            'https://docs.mistral.ai/inference/conversations/reasoning',
            'mistralai/platform-docs-public#511',
            'https://docs.rs/crate/mistral-openapi-client/latest/source/src/models/think_chunk.rs',
          ],
        },
      ],
      drops: [
        {
          is: [
            ...SAMPLERS,
            ...['seed', 'logprobs', 'top_logprobs', 'logit_bias', 'user', 'safety_identifier', 'prompt_cache_key'],
            ...['store', 'verbosity'],
          ],
          source: [
            'https://github.com/mistralai/client-python/blob/main/src/mistralai/models/chatcompletionrequest.py',
            'mistralai/platform-docs-public#7',
          ],
        },
      ],
    },
  },
  groq: {
    kind: 'service',
    hosts: ['groq.com'],
    facts: {
      drops: [
        { is: ['prompt_cache_key'], source: ['zed-industries/zed#36215', 'eigent-ai/eigent#1827'] },
        { is: ['store'], source: ['fanenr/chatbot#21'] },
        {
          is: ['logprobs', 'top_logprobs', 'logit_bias'],
          source: ['https://github.com/groq/groq-python/blob/main/src/groq/types/chat/completion_create_params.py'],
        },
      ],
    },
  },
  cerebras: {
    kind: 'service',
    hosts: ['cerebras.ai'],
    facts: {
      drops: [
        { is: ['prompt_cache_key'], source: ['zed-industries/zed#36215'] },
        {
          is: ['frequency_penalty', 'presence_penalty', 'logit_bias', 'parallel_tool_calls'],
          source: ['https://hexdocs.pm/req_llm/ReqLLM.Providers.Cerebras.html', 'zed-industries/zed#35716'],
        },
      ],
    },
  },
  together: {
    kind: 'service',
    hosts: ['together.xyz', 'together.ai'],
    facts: {
      cap: [
        {
          is: 'max_tokens',
          source: [
            'https://github.com/togethercomputer/together-python/blob/main/src/together/types/chat_completions.py',
          ],
        },
      ],
    },
  },
  fireworks: {
    kind: 'service',
    hosts: ['fireworks.ai'],
    facts: {
      // The newer name is another one for the same, and both together are refused.
      cap: [{ is: 'max_tokens', source: [FIREWORKS_CHAT] }],
      drops: [
        {
          is: [
            ...['top_a', 'stop_token_ids', 'include_stop_str_in_output', 'skip_special_tokens'],
            ...['spaces_between_special_tokens', 'safety_identifier'],
          ],
          source: [FIREWORKS_CHAT, 'FlowiseAI/Flowise#2866', 'web-infra-dev/midscene#1322'],
        },
        {
          is: ['verbosity', 'store'],
          source: ['https://docs.getbifrost.ai/providers/supported-providers/fireworks', FIREWORKS_CHAT],
        },
        { is: ['chat_template_kwargs'], source: ['BerriAI/litellm#35969'] },
      ],
    },
  },
  openrouter: {
    kind: 'service',
    hosts: ['openrouter.ai'],
    facts: {
      cap: [{ is: 'max_tokens', source: ['https://openrouter.ai/docs/api-reference/overview'] }],
      cacheMarks: [{ is: true, source: ['pydantic/pydantic-ai#4392', 'microsoft/vscode#312939'] }],
    },
  },
  dashscope: {
    kind: 'service',
    hosts: ['dashscope.aliyuncs.com', 'dashscope-*.aliyuncs.com'],
    facts: {
      developerRole: [asSystem('proma-ai/Proma#1496', 'openclaw/openclaw#22710')],
      cacheMarks: [{ is: true, source: ['https://help.aliyun.com/model-studio/context-cache'] }],
    },
  },
  moonshot: {
    kind: 'service',
    hosts: ['moonshot.ai', 'moonshot.cn'],
    facts: {
      cap: [{ is: 'max_tokens', source: ['earendil-works/pi#7174'] }],
      developerRole: [asSystem('openclaw/openclaw#8579')],
    },
  },
  zai: {
    kind: 'service',
    hosts: ['z.ai', 'bigmodel.cn'],
    facts: {
      // It takes the newer name, and does not keep to it.
      cap: [{ is: 'max_tokens', source: ['earendil-works/pi#7174'] }],
      developerRole: [asSystem('openclaw/openclaw#23115', 'earendil-works/pi#547')],
    },
  },
  vllm: {
    kind: 'engine',
    facts: {
      developerRole: [{ ...asSystem('vllm-project/vllm#42407', 'ogx-ai/ogx#6069'), but: HARMONY }],
      // Older versions leave it unread.
      cacheSalt: [
        { is: true, source: ['vllm-project/vllm#17045', 'vllm-project/vllm#20981', 'vllm-project/vllm#49498'] },
      ],
    },
  },
  sglang: {
    kind: 'engine',
    // It takes the role, and templates leave out what it says.
    facts: {
      developerRole: [{ ...asSystem('sgl-project/sglang#40082'), but: HARMONY }],
      // Its scheduler heeds it since the second of these.
      cacheSalt: [{ is: true, source: ['sgl-project/sglang#10718', 'sgl-project/sglang#23300'] }],
    },
  },
  llamacpp: {
    kind: 'engine',
    facts: {
      developerRole: [{ ...asSystem('ggml-org/llama.cpp#20079', 'ggml-org/llama.cpp#20215'), but: HARMONY }],
      choicesUsage: [{ is: 'one', source: ['ggml-org/llama.cpp#27318'] }],
    },
  },
  tgi: {
    kind: 'engine',
    facts: {
      cap: [
        {
          is: 'max_tokens',
          source: ['huggingface/text-generation-inference#2844', 'huggingface/text-generation-inference#2925'],
        },
      ],
    },
  },
  ollama: {
    kind: 'engine',
    facts: {
      cap: [{ is: 'max_tokens', source: ['ollama/ollama#7125'] }],
      finishReason: [{ is: 'optional', source: ['pydantic/pydantic-ai#2996'] }],
    },
  },
  transformers: {
    kind: 'engine',
    facts: {
      // It refuses the newer name or ignores it, by its version.
      cap: [{ is: 'max_tokens', source: [TRANSFORMERS_CHAT] }],
      // The last chunk tells the usage, unasked.
      streamOptions: [{ is: false, source: [TRANSFORMERS_CHAT] }],
      drops: [
        {
          is: [
            // It takes those of templates.
            ...SAMPLERS.filter(each => each !== 'chat_template_kwargs'),
            ...['logprobs', 'top_logprobs', 'parallel_tool_calls', 'presence_penalty', 'reasoning_effort'],
            ...['store', 'user'],
          ],
          source: [TRANSFORMERS_CHAT],
        },
        // It fails with a 500 unless each bias is written with a point.
        {
          is: ['logit_bias'],
          source: [
            'https://github.com/huggingface/transformers/blob/main/src/transformers/generation/logits_process.py',
          ],
        },
      ],
    },
  },
  litellm: {
    kind: 'engine',
    facts: {
      drops: [{ ...CLAUDE_DROPS, source: ['RooCodeInc/Roo-Code#12162'] }],
      cacheMarks: [{ is: true, source: ['https://docs.litellm.ai/docs/completion/prompt_caching'] }],
    },
  },
}

/** Facts about models by their names, wherever they are served, unless a row says otherwise. */
export const ANYWHERE: Pick<Profile, 'facts'> = {
  facts: {
    cap: [
      {
        is: 'max_completion_tokens',
        models: THINKERS,
        but: TALKERS,
        source: ['BerriAI/litellm#13381', 'openai/openai-python#2046'],
      },
    ],
  },
}
