import { type Metadata, type Tensor, writeGguf } from './gguf.ts'

/** How large a model is: a llama of so many layers, whose vectors have `width` numbers. */
export interface TinySize {
  readonly width: number
  readonly layers: number
  /** Tokens that it takes. */
  readonly context: number
}

export const CHAT_SIZE: TinySize = { width: 256, layers: 4, context: 2048 }
/** Answers of a thousand tokens take several seconds with it on one core, so that there is time to break them off. */
export const SLOW_SIZE: TinySize = { width: 512, layers: 8, context: 2048 }
/** Vectors of 768 numbers, as the public API has them. */
export const EMBEDDING_SIZE: TinySize = { width: 768, layers: 1, context: 512 }

/**
 * Writes a llama with random weights and a vocabulary of bytes. At a temperature of 0 it says the same letters each time, and
 * never ends by itself: the weights of other tokens, and of the end of a text, are 0.
 */
export function writeTinyModel(path: string, size: TinySize): void {
  writeGguf(path, metadataOf(size), tensorsOf(size))
}

const HEADS = 4
const END = '<|im_end|>'
const SPECIAL = ['<|endoftext|>', '<|im_start|>', END] as const

/** A letter is a token and an event: what a stream shows can be compared with what the engine counts. */
const SAID = /^[a-z]$/

const CALL = '<tool_call>\n'
const TOKENS = [...SPECIAL, CALL, ...byteLetters()]
/** The tokens that end a text, and that begin a call: the model says them where a client has them chosen by `logit_bias`. */
export const END_TOKEN = TOKENS.indexOf(END)
export const CALL_TOKEN = TOKENS.indexOf(CALL)
/** Types of tokens in the format. */
const [NORMAL, CONTROL, USER_DEFINED] = [1, 3, 4]

function typeOf(token: string): number {
  if (token === CALL) return USER_DEFINED
  return SPECIAL.some(each => each === token) ? CONTROL : NORMAL
}

/** GPT-2's letter for each byte: itself where it is printed, and one from U+0100 on where it is not. */
function byteLetters(): readonly string[] {
  let next = 0x100
  return Array.from({ length: 256 }, (_, byte) => {
    const isPrinted = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae
    return String.fromCharCode(isPrinted ? byte : next++)
  })
}

/** In the form of Qwen's: llama.cpp finds out by it how the model writes a call. */
const CHAT_TEMPLATE = String.raw`{%- if tools %}
{{- '<|im_start|>system\n# Tools\n\n<tools>' }}
{%- for tool in tools %}{{- '\n' }}{{- tool | tojson }}{%- endfor %}
{{- '\n</tools>\n\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call><|im_end|>\n' }}
{%- endif %}
{%- for message in messages %}
{%- if message.role == 'tool' %}
{{- '<|im_start|>user\n<tool_response>\n' + message.content + '\n</tool_response><|im_end|>\n' }}
{%- elif message.role == 'assistant' and message.tool_calls %}
{{- '<|im_start|>assistant' }}
{%- if message.content %}{{- '\n' + message.content }}{%- endif %}
{%- for tool_call in message.tool_calls %}
{%- if tool_call.function is defined %}{%- set tool_call = tool_call.function %}{%- endif %}
{{- '\n<tool_call>\n{"name": "' }}{{- tool_call.name }}{{- '", "arguments": ' }}{{- tool_call.arguments | tojson }}{{- '}\n</tool_call>' }}
{%- endfor %}
{{- '<|im_end|>\n' }}
{%- else %}
{{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\n' }}{%- endif %}`

function metadataOf({ width, layers, context }: TinySize): ReadonlyMap<string, Metadata> {
  const llama = (key: string, value: Metadata) => [`llama.${key}`, value] as const
  const tokenizer = (key: string, value: Metadata) => [`tokenizer.${key}`, value] as const
  return new Map<string, Metadata>([
    ['general.architecture', { text: 'llama' }],
    ['general.name', { text: 'tiny' }],
    llama('context_length', { u32: context }),
    llama('embedding_length', { u32: width }),
    llama('block_count', { u32: layers }),
    llama('feed_forward_length', { u32: 2 * width }),
    llama('attention.head_count', { u32: HEADS }),
    llama('attention.head_count_kv', { u32: HEADS }),
    llama('attention.layer_norm_rms_epsilon', { f32: 1e-5 }),
    llama('rope.dimension_count', { u32: width / HEADS }),
    llama('vocab_size', { u32: TOKENS.length }),
    tokenizer('ggml.model', { text: 'gpt2' }),
    tokenizer('ggml.pre', { text: 'gpt-2' }),
    tokenizer('ggml.tokens', { texts: TOKENS }),
    tokenizer('ggml.token_type', { i32s: TOKENS.map(typeOf) }),
    tokenizer('ggml.merges', { texts: ['a b'] }),
    tokenizer('ggml.bos_token_id', { u32: 0 }),
    tokenizer('ggml.eos_token_id', { u32: END_TOKEN }),
    tokenizer('ggml.padding_token_id', { u32: 0 }),
    tokenizer('ggml.add_bos_token', { flag: false }),
    tokenizer('chat_template', { text: CHAT_TEMPLATE }),
  ])
}

function tensorsOf({ width, layers }: TinySize): readonly Tensor[] {
  const random = normalNumbers()
  const matrix = (name: string, rows: number, columns: number): Tensor => ({
    name,
    shape: [columns, rows],
    values: Float32Array.from({ length: rows * columns }, () => random() * 0.05),
  })
  const norm = (name: string): Tensor => ({ name, shape: [width], values: new Float32Array(width).fill(1) })
  const output = matrix('output.weight', TOKENS.length, width)
  for (const [at, token] of TOKENS.entries()) if (!SAID.test(token)) output.values.fill(0, at * width, (at + 1) * width)
  return [
    matrix('token_embd.weight', TOKENS.length, width),
    norm('output_norm.weight'),
    output,
    ...Array.from({ length: layers }, (_, layer) => {
      const named = (name: string) => `blk.${layer}.${name}.weight`
      return [
        norm(named('attn_norm')),
        ...['attn_q', 'attn_k', 'attn_v', 'attn_output'].map(name => matrix(named(name), width, width)),
        norm(named('ffn_norm')),
        matrix(named('ffn_gate'), 2 * width, width),
        matrix(named('ffn_up'), 2 * width, width),
        matrix(named('ffn_down'), width, 2 * width),
      ]
    }).flat(),
  ]
}

/** Numbers of about a normal distribution, the same each time: a sum of twelve random ones, of which a large model repeats some. */
function normalNumbers(): () => number {
  let state = 1
  const uniform = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const numbers = Float32Array.from({ length: NUMBERS }, () => {
    let sum = -6
    for (let n = 0; n < 12; n++) sum += uniform()
    return sum
  })
  let at = 0
  return () => numbers[at++ % NUMBERS] ?? 0
}

/** A prime, so that no two rows of a matrix are the same. */
const NUMBERS = 99_991
