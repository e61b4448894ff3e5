import type { Overflow } from '../../policy/denial.ts'

/** Whether a backend says by this code or text that a prompt, or a prompt and its cap, are longer than its model takes. */
export const saysTooLong = (text: string): boolean => TOO_LONG.test(text)

/**
 * OpenAI's and llama.cpp's codes, and what vLLM, SGLang, llama.cpp, Ollama, LM Studio, OpenAI, Anthropic and Google say.
 */
const TOO_LONG = new RegExp(
  [
    'context[_ ]length[_ ]exceeded',
    'exceed_context_size',
    'context_window_exceeded',
    'maximum context length',
    'maximum model length',
    "longer than the model's context",
    'exceeds? the (?:available )?context (?:size|window|length|limit)',
    'exceeds? (?:the )?context limit',
    'exceeds? the maximum number of tokens allowed',
    'prompt is too long',
    'input is too long for',
    'loaded with (?:a )?context length of only',
    'inputs` tokens \\+ `max_new_tokens` must be',
  ].join('|'),
  'i',
)

/** The numbers that a backend gives, as far as it does. */
export function overflowIn(text: string): Partial<Overflow> {
  const [limit, input, output, total] = [LIMIT, INPUT, OUTPUT, TOTAL].map(forms => firstNumber(text, forms))
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
  /(?:maximum context length|maximum model length|context length|context size|context window)[^\d.]{0,40}(\d{1,9})/i,
  /exceed context limit: \d{1,9} \+ \d{1,9} > (\d{1,9})/i,
  /\d{1,9} tokens > (\d{1,9}) maximum/i,
  /maximum number of tokens allowed \(?(\d{1,9})/i,
]
const INPUT = [
  /\((\d{1,9}) in (?:the|your) (?:messages|prompt)/i,
  /(\d{1,9}) tokens from the input/i,
  /(\d{1,9}) (?:prompt|input) tokens/i,
  /messages resulted in (\d{1,9}) tokens/i,
  /request \((\d{1,9}) tokens\)/i,
  /(?:input|prompt)(?: token count)? \((?:length )?(\d{1,9})/i,
  /exceed context limit: (\d{1,9}) \+/i,
  /prompt is too long: (\d{1,9}) tokens/i,
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
