import type { Overflow } from '../../policy/denial.ts'

/** Whether a backend says by this code or text that a prompt, or a prompt and its cap, are longer than its model takes. */
export const saysTooLong = (text: string): boolean => TOO_LONG.test(text.slice(0, MOST_CHARACTERS))

/** Whether an engine says with a 5xx that it cannot serve what is in this very request. */
export const saysUnservable = (text: string): boolean => UNSERVABLE.test(text.slice(0, MOST_CHARACTERS))

/** Some repeat all of a prompt: more of a text is not looked at. */
const MOST_CHARACTERS = 4096

const anyOf = (phrases: readonly (readonly [phrase: string, who: string])[]): RegExp =>
  new RegExp(phrases.map(([phrase]) => phrase).join('|'), 'i')

/** The code or words, and whose they are. A text that only mentions tokens, such as that a cap is too large, has none of them. */
const TOO_LONG = anyOf([
  ['context[_ ]length[_ ]exceeded', 'the code of OpenAI, Cerebras and Azure'],
  ['exceed_context_size', 'the code of llama.cpp'],
  ['context_window_exceeded|ContextWindowExceeded', 'the codes of Z.ai and LiteLLM'],
  ['model_max_prompt_tokens_exceeded', 'the code of GitHub Copilot'],
  ['maximum context length', 'OpenAI, vLLM, SGLang, DeepSeek, Mistral, OpenRouter, Ollama'],
  ['maximum model length', 'vLLM'],
  ['maximum prompt length is \\d', 'xAI'],
  ['max_tokens must be at least 1, got -\\d', 'vLLM: a cap that is what the prompt leaves'],
  ["longer than the model's context", 'SGLang, Together'],
  ['context length is only \\d', 'vLLM'],
  ['exceeds? the (?:available )?context (?:size|window|length|limit)', 'llama.cpp, OpenAI, Ollama'],
  ['exceeds? (?:the )?context (?:limit|window)', 'Anthropic, llama-cpp-python'],
  ['exceeded (?:max )?context length|exceeded this model context window', 'Ollama, Cloudflare'],
  ['context window exceeds limit', 'MiniMax'],
  ['greater than the context length|loaded with (?:a )?context length of only', 'LM Studio'],
  ['larger than the max context size', 'llama.cpp'],
  ['configured context size is', 'DS4'],
  ['exceeds? the maximum number of tokens allowed', 'Gemini'],
  ['input token count is \\d+ but (?:the )?model only supports', 'Vertex'],
  ['(?:prompt|input) is too long|prompt too long', 'Anthropic, Bedrock, Ollama'],
  ['prompt exceeds max(?:imum)? length', 'Z.ai'],
  ['too many input tokens', 'Bedrock'],
  ['too many tokens: (?:size limit|total number of tokens)', 'Cohere'],
  ['tokens exceed the configured limit', 'OpenAI'],
  ['reduce (?:the length of (?:the )?(?:messages|prompt|input|either one)|your prompt)', 'Groq, Cerebras, OpenAI'],
  ['exceed max message tokens', 'Volcengine'],
  ['exceeded model token limit', 'Moonshot'],
  ['range of input length should be', 'DashScope'],
  ['prompt token count of \\d+ exceeds', 'GitHub Copilot'],
  ['exceeds (?:the )?max(?:imum)? (?:allowed )?input length', 'DeepInfra, Poolside, TensorRT-LLM'],
  ['prompt length.{1,60}should not exceed max_num_tokens', 'TensorRT-LLM'],
  ['`inputs` tokens \\+ `max_new_tokens` must be|`inputs` must have less than \\d+ tokens', 'TGI, TEI'],
  ['input (?:\\(\\d+ tokens\\) )?is too large to process', 'llama.cpp, of embeddings'],
  ['length of prompt_tokens \\(\\d+\\) must be less than', 'SiliconFlow'],
  ['input tokens exceeded|number of input tokens exceeds', 'Nova at Bedrock'],
  ['number of input tokens \\d+ cannot exceed', 'watsonx'],
  ['number of (?:input|prompt) tokens(?:: \\d+ exceeds| must be no more than)', 'OpenVINO, YandexGPT'],
  ['tokens_limit_reached|request body too large for .{1,80} max size: \\d+ tokens', 'GitHub Models'],
  ['prompt is \\d+ tokens long', 'SambaNova'],
  ['(?:prompt|input) (?:sequence )?length (?:\\d+ )?is greater than', 'mistral.rs, TabbyAPI'],
  ['prompt has \\d+ tokens in total, larger than', 'MLC LLM'],
  ['input length \\d+ exceeds the maximum length', 'Volcengine'],
  ['input too long\\. rece?ie?ved', 'Ray Serve'],
  [
    'prompt超长|prompt 超长|输入(?:内容)?(?:长度)?(?:过长|超过|超出)|(?:上下文|token数).{0,6}(?:超长|超过上限|超出)',
    'Z.ai, Qianfan, Spark',
  ],
  ['prompt tokens too long|the max input characters is', 'Qianfan'],
  ['context size has been exceeded', 'LM Studio'],
  ['too many total text bytes', 'Anthropic'],
  ["'(?:messages\\[\\d+\\]\\.content|input)[^']{0,40}': string too long|'messages': array too long", 'OpenAI'],
  ['cannot exceed \\d+ tokens\\. your text has', 'Jina'],
  ['exceed(?:s|ed)? (?:the )?(?:model )?(?:maximum )?context (?:window|size|length)', 'Apple, MLX'],
  ['context overflow|context (?:window|length) (?:is |was |has been )?exceeded', 'others'],
  [
    'prompt (?:token )?(?:is|was) longer than|longer than the (?:maximum )?(?:context|sequence) (?:window|length)',
    'others',
  ],
  [
    "tokens: \\d+ exceeds model max length|exceeds? (?:the )?(?:model's )?(?:maximum )?input token limit",
    'OpenVINO, others',
  ],
])

const UNSERVABLE = anyOf([
  ['(?:image|audio) input is not supported', 'llama.cpp without a projector'],
  ['failed to load image or audio file', 'llama.cpp'],
  ['tools param requires --jinja', 'llama.cpp'],
  [
    'conversation roles must alternate|unexpected message role|system role not supported',
    'templates of Llama, Gemma, Qwen',
  ],
])

/** The numbers that a backend gives, as far as it does. */
export function overflowIn(text: string): Partial<Overflow> {
  const plain = text.slice(0, MOST_CHARACTERS).replace(/(?<=\d),(?=\d{3}\b)/g, '')
  const [limit, input, output, total] = [LIMIT, INPUT, OUTPUT, TOTAL].map(forms => firstNumber(plain, forms))
  const rest = total !== undefined && output !== undefined ? total - output : undefined
  const read = { limit, input: input ?? rest, output }
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined))
}

/** The words by which Claude Code asks again with a smaller cap, or makes its history shorter. */
export const overflowWords = ({ input, output, limit }: Overflow): string =>
  input < limit
    ? `input length and \`max_tokens\` exceed context limit: ${input} + ${output} > ${limit}, decrease input length or \`max_tokens\` and try again`
    : `prompt is too long: ${input} tokens > ${limit} maximum`

const LIMIT = [
  /(?:maximum context length|maximum model length|context length(?! by)|context size|context window(?! exceeds))[^\d.]{0,40}(\d{1,9})/i,
  /exceed context limit: \d{1,9} \+ \d{1,9} > (\d{1,9})/i,
  /\d{1,9} tokens > (\d{1,9}) maximum/i,
  /maximum number of tokens allowed \(?(\d{1,9})/i,
  /maximum (?:prompt|(?:allowed )?input) length (?:is |of )?\(?(\d{1,9})/i,
  /(?:model token limit: |only supports up to |configured limit of |max_num_tokens \(|max input tokens: )(\d{1,9})/i,
  /prompt token count of \d{1,9} exceeds the limit of (\d{1,9})/i,
  /(?:must have less than|must be <=) (\d{1,9})/i,
  /input length should be \[1, (\d{1,9})\]/i,
  /(?:max_seq_len \(?|total tokens limit |model max length: |input length limit |supported sequence length is just )(\d{1,9})/i,
  /(?:must be no more than |max size: |length is greater than |exceeds the maximum length |cannot exceed )(\d{1,9})/i,
]
const INPUT = [
  /\((\d{1,9}) in (?:the|your) (?:messages|prompt)/i,
  /(\d{1,9}) tokens from the input/i,
  /(\d{1,9}) (?:prompt|input) tokens/i,
  /messages resulted in (\d{1,9}) tokens/i,
  /request \((\d{1,9}) tokens\)/i,
  /(?:input|prompt)(?: token count)? \((?:length )?(\d{1,9})/i,
  /exceed context limit: (\d{1,9}) \+/i,
  /prompt is too long: (\d{1,9})/i,
  /request contains (\d{1,9}) tokens/i,
  /prompt (?:contains|has) (\d{1,9})/i,
  /(?:prompt|input) token count(?: of| is|:) (\d{1,9})/i,
  /(?:prompt|input) length \(?(\d{1,9})/i,
  /\(requested: (\d{1,9})\)/i,
  /given: (\d{1,9}) `inputs`/i,
  /prompt_tokens \((\d{1,9})\)/i,
  /number of (?:input|prompt) tokens:? (\d{1,9})/i,
  /(?:prompt is |rece?ie?ved |your text has )(\d{1,9}) tokens/i,
  /no more than \d{1,9}, got (\d{1,9})/i,
]
const OUTPUT = [
  /(\d{1,9}) (?:tokens )?(?:in|for) the completion/i,
  /(\d{1,9}) output tokens/i,
  /exceed context limit: \d{1,9} \+ (\d{1,9})/i,
]
const TOTAL = [/requested (?:a total of )?(\d{1,9}) tokens/i]

function firstNumber(text: string, forms: readonly RegExp[]): number | undefined {
  for (const form of forms) {
    const [, digits] = form.exec(text) ?? []
    if (digits !== undefined) return Number(digits)
  }
  return undefined
}
