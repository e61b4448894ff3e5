/** Where a provider answers, and how it takes its key. */
export interface Provider {
  /** Undefined where the file has to say it. */
  readonly base?: string
  /** The variable that is read where the file has no key. */
  readonly variable?: string
  readonly speaks?: readonly ['messages' | 'responses']
  readonly auth?: 'api-key' | 'x-api-key'
  /** Follows the base URL that the file says. */
  readonly path?: string
}

/** The provider of a model, and the name that it knows the model by. Undefined where it speaks nothing that pools speak. */
export function providerOf(model: string, custom: string | undefined): Found | undefined {
  const [head = '', ...rest] = model.split('/')
  const name = custom ?? (rest.length > 0 && isKnown(head) ? head : guessOf(model))
  const provider = name !== undefined && Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined
  const own = head === name ? rest.join('/') : model
  return name !== undefined && provider && own !== '' ? { name, provider, model: own } : undefined
}

/** The provider of a name that other gateways know it by, such as `azure-openai`. Undefined where it speaks nothing that pools speak. */
export function providerNamed(text: string, model: string): Found | undefined {
  const plain = text.toLowerCase().replaceAll('-', '_')
  const name = Object.hasOwn(OTHER_NAMES, plain) ? OTHER_NAMES[plain] : plain
  const provider = name !== undefined && Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined
  return name !== undefined && provider ? { name, provider, model } : undefined
}

/** A provider, and the name that it knows a model by. */
export interface Found {
  readonly name: string
  readonly provider: Provider
  readonly model: string
}

/** As LiteLLM knows models that have no provider before them. */
function guessOf(model: string): string | undefined {
  if (model.startsWith('claude')) return 'anthropic'
  return /^(gpt-|o\d|text-embedding-|dall-e|chatgpt-)/.test(model) ? 'openai' : undefined
}

/** Those that answer in a form that pools speak, by the prefix of models in LiteLLM. */
const PROVIDERS: Readonly<Record<string, Provider>> = {
  ai21: { base: 'https://api.ai21.com/studio/v1', variable: 'AI21_API_KEY' },
  ai21_chat: { base: 'https://api.ai21.com/studio/v1', variable: 'AI21_API_KEY' },
  aiohttp_openai: { base: 'https://api.openai.com/v1', variable: 'OPENAI_API_KEY' },
  anthropic: { base: 'https://api.anthropic.com/v1', variable: 'ANTHROPIC_API_KEY', speaks: ['messages'], path: '/v1' },
  azure: { variable: 'AZURE_API_KEY', auth: 'api-key' },
  baseten: { base: 'https://inference.baseten.co/v1', variable: 'BASETEN_API_KEY' },
  cerebras: { base: 'https://api.cerebras.ai/v1', variable: 'CEREBRAS_API_KEY' },
  codestral: { base: 'https://codestral.mistral.ai/v1', variable: 'CODESTRAL_API_KEY' },
  cohere: { base: 'https://api.cohere.ai/compatibility/v1', variable: 'COHERE_API_KEY' },
  cohere_chat: { base: 'https://api.cohere.ai/compatibility/v1', variable: 'COHERE_API_KEY' },
  custom_openai: {},
  dashscope: { base: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1', variable: 'DASHSCOPE_API_KEY' },
  deepinfra: { base: 'https://api.deepinfra.com/v1/openai', variable: 'DEEPINFRA_API_KEY' },
  deepseek: { base: 'https://api.deepseek.com/v1', variable: 'DEEPSEEK_API_KEY' },
  featherless_ai: { base: 'https://api.featherless.ai/v1', variable: 'FEATHERLESS_AI_API_KEY' },
  fireworks_ai: { base: 'https://api.fireworks.ai/inference/v1', variable: 'FIREWORKS_API_KEY' },
  friendliai: { base: 'https://api.friendli.ai/serverless/v1', variable: 'FRIENDLI_TOKEN' },
  gemini: { base: 'https://generativelanguage.googleapis.com/v1beta/openai', variable: 'GEMINI_API_KEY' },
  github: { base: 'https://models.inference.ai.azure.com', variable: 'GITHUB_API_KEY' },
  groq: { base: 'https://api.groq.com/openai/v1', variable: 'GROQ_API_KEY' },
  hosted_vllm: {},
  huggingface: { base: 'https://router.huggingface.co/v1', variable: 'HF_TOKEN', path: '/v1' },
  hyperbolic: { base: 'https://api.hyperbolic.xyz/v1', variable: 'HYPERBOLIC_API_KEY' },
  jina_ai: { base: 'https://api.jina.ai/v1', variable: 'JINA_AI_API_KEY' },
  lambda_ai: { base: 'https://api.lambda.ai/v1', variable: 'LAMBDA_API_KEY' },
  litellm_proxy: {},
  llamafile: { base: 'http://127.0.0.1:8080/v1' },
  lm_studio: { base: 'http://127.0.0.1:1234/v1' },
  meta_llama: { base: 'https://api.llama.com/compat/v1', variable: 'LLAMA_API_KEY' },
  mistral: { base: 'https://api.mistral.ai/v1', variable: 'MISTRAL_API_KEY' },
  moonshot: { base: 'https://api.moonshot.ai/v1', variable: 'MOONSHOT_API_KEY' },
  nebius: { base: 'https://api.studio.nebius.com/v1', variable: 'NEBIUS_API_KEY' },
  novita: { base: 'https://api.novita.ai/v3/openai', variable: 'NOVITA_API_KEY' },
  nscale: { base: 'https://inference.api.nscale.com/v1', variable: 'NSCALE_API_KEY' },
  nvidia_nim: { base: 'https://integrate.api.nvidia.com/v1', variable: 'NVIDIA_NIM_API_KEY' },
  ollama: { base: 'http://127.0.0.1:11434/v1', path: '/v1' },
  ollama_chat: { base: 'http://127.0.0.1:11434/v1', path: '/v1' },
  openai: { base: 'https://api.openai.com/v1', variable: 'OPENAI_API_KEY' },
  openai_like: {},
  openrouter: { base: 'https://openrouter.ai/api/v1', variable: 'OPENROUTER_API_KEY' },
  parasail: { base: 'https://api.parasail.io/v1', variable: 'PARASAIL_API_KEY' },
  perplexity: { base: 'https://api.perplexity.ai', variable: 'PERPLEXITYAI_API_KEY' },
  sambanova: { base: 'https://api.sambanova.ai/v1', variable: 'SAMBANOVA_API_KEY' },
  together_ai: { base: 'https://api.together.xyz/v1', variable: 'TOGETHERAI_API_KEY' },
  vllm: {},
  volcengine: { base: 'https://ark.cn-beijing.volces.com/api/v3', variable: 'VOLCENGINE_API_KEY' },
  voyage: { base: 'https://api.voyageai.com/v1', variable: 'VOYAGE_API_KEY' },
  wandb: { base: 'https://api.inference.wandb.ai/v1', variable: 'WANDB_API_KEY' },
  xai: { base: 'https://api.x.ai/v1', variable: 'XAI_API_KEY' },
  xinference: {},
  zai: { base: 'https://api.z.ai/api/paas/v4', variable: 'ZAI_API_KEY' },
}

/** Other gateways' names for them. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  azure_openai: 'azure',
  fireworks: 'fireworks_ai',
  google: 'gemini',
  mistral_ai: 'mistral',
  nvidia: 'nvidia_nim',
  open_ai: 'openai',
  perplexity_ai: 'perplexity',
  sgl: 'vllm',
  together: 'together_ai',
  x_ai: 'xai',
}

/** Those whose requests are signed, or have a form of their own. */
const OTHERS: ReadonlySet<string> = new Set([
  'auto_router',
  'azure_ai',
  'azure_text',
  'bedrock',
  'chatgpt',
  'cloudflare',
  'custom',
  'databricks',
  'github_copilot',
  'nlp_cloud',
  'oci',
  'oobabooga',
  'petals',
  'predibase',
  'replicate',
  'sagemaker',
  'sagemaker_chat',
  'snowflake',
  'text-completion-codestral',
  'text-completion-openai',
  'triton',
  'vertex_ai',
  'vertex_ai_beta',
  'watsonx',
])

/** Whether a model has a provider of LiteLLM before it, or is said to be of one. */
export const hasProvider = (model: string, custom: string | undefined): boolean =>
  isKnown(custom ?? (model.includes('/') ? (model.split('/')[0] ?? '') : ''))

const isKnown = (name: string): boolean => Object.hasOwn(PROVIDERS, name) || OTHERS.has(name)
