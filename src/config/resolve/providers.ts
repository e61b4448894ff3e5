/**
 * Whether a replica is a public service, which serves many customers and checks what they send, and no engine that trusts
 * whoever reaches it.
 */
export function isProvider(replica: string): boolean {
  if (!URL.canParse(replica)) return false
  const { protocol, hostname } = new URL(replica)
  if (protocol !== 'https:') return false
  return BEDROCK.test(hostname) || SERVICES.some(name => hostname === name || hostname.endsWith(`.${name}`))
}

/** Machines of customers have names below `amazonaws.com` too. */
const BEDROCK = /^bedrock[a-z-]*\.[a-z0-9-]+\.amazonaws\.com$/

/** Their names, with all names below. */
const SERVICES = [
  ...['openai.com', 'anthropic.com', 'mistral.ai', 'cohere.ai', 'cohere.com', 'deepseek.com', 'perplexity.ai', 'x.ai'],
  ...['groq.com', 'together.xyz', 'together.ai', 'openrouter.ai', 'cerebras.ai', 'sambanova.ai', 'moonshot.ai', 'z.ai'],
  ...['openai.azure.com', 'services.ai.azure.com', 'cognitiveservices.azure.com', 'inference.ai.azure.com'],
  ...['api.aws', 'googleapis.com', 'volces.com', 'router.huggingface.co'],
  ...['dashscope.aliyuncs.com', 'dashscope-intl.aliyuncs.com'],
  ...[
    'api.fireworks.ai',
    'api.deepinfra.com',
    'api.novita.ai',
    'api.hyperbolic.xyz',
    'api.friendli.ai',
    'api.llama.com',
  ],
  ...['api.studio.nebius.com', 'integrate.api.nvidia.com', 'inference.baseten.co', 'api.inference.wandb.ai'],
]
