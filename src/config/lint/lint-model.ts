import { unitOf } from '../check/units.ts'
import type {
  ChatModelSection,
  EmbeddingModelSection,
  ImageModelSection,
  ModelSection,
  PassthroughModelSection,
} from '../file.ts'
import type { Say } from '../problem.ts'
import type { Path } from '../read/tree.ts'
import { lintAccepts } from '../resolve/accepts.ts'
import { DEFAULTS } from '../resolve/defaults.ts'

/** Reports what cannot work, or is hardly meant, in one model. */
export function lintModel(name: string, model: ModelSection, say: Say): void {
  lintAccepts(name, model, say)
  if (model.kind === 'chat') lintChat(name, model, say)
  else if (model.kind === 'embedding') lintEmbedding(model, say)
  else if (model.kind === 'image') lintImage(model, say)
  else lintPassed(model, say)
}

/** `n` goes up to 4, so that a chat may cost four times its output. */
const MOST_CHOICES = 4
/** As many inputs as `limits.embedding_batch` may allow. */
const MOST_INPUTS = 2048

function lintChat(name: string, model: ChatModelSection, say: Say): void {
  const context = unitOf('count', model.context)
  const maxOutput = unitOf('count', model.max_output ?? DEFAULTS.maxOutput)
  if (maxOutput >= context) {
    const where = model.max_output === undefined ? 'context' : 'max_output'
    const message = `model \`${name}\` leaves no room for a prompt: max_output ${maxOutput} of context ${context}`
    say([where], 'error', 'no-room-for-prompt', message, 'max_output must be smaller than context')
  }
  if (model.image_tokens !== undefined && !model.vision) {
    const message = `model \`${name}\` has \`image_tokens\`, but no \`vision\``
    say(['image_tokens'], 'error', 'needs-vision', message, 'add `vision: true`, or remove it')
  }
  lintThinking(name, model, Math.min(maxOutput, context), say)
  for (const side of ['input', 'output'] as const) {
    lintPrice(unitOf('price', model.usd_per_1m[side]), context * MOST_CHOICES, ['usd_per_1m', side], say)
  }
}

function lintThinking(name: string, { thinking }: ChatModelSection, most: number, say: Say): void {
  if (!thinking || unitOf('count', thinking.min_max_tokens) <= most) return
  const message = `model \`${name}\` wants more tokens for thinking than it may put out`
  say(['thinking', 'min_max_tokens'], 'error', 'thinking-too-large', message, `max_output and context allow ${most}`)
}

function lintEmbedding({ context, usd_per_1m: price }: EmbeddingModelSection, say: Say): void {
  const most = unitOf('count', context) * MOST_INPUTS
  lintPrice(unitOf('price', price.input), most, ['usd_per_1m', 'input'], say)
}

/** A price in nano-USD for 1,000 tokens, of which one request may hold as many as `most`. */
function lintPrice(nano: number, most: number, path: Path, say: Say): void {
  if (most * nano > Number.MAX_SAFE_INTEGER) {
    const message = 'a full context at this price is more than the ledger can count'
    say(path, 'error', 'cost-too-large', message, 'lower it, or `context`')
  } else if (nano > 200_000_000) {
    const hint = 'is this a price for a thousand tokens?'
    say(path, 'warning', 'price-high', 'more than 200 USD for a million tokens', hint)
  } else if (nano > 0 && nano < 100) {
    const hint = 'is this a price for a single token?'
    say(path, 'warning', 'price-low', 'less than 0.0001 USD for a million tokens', hint)
  }
}

function lintPassed({ usd_per_1m: price }: PassthroughModelSection, say: Say): void {
  for (const side of ['input', 'output'] as const)
    lintPrice(unitOf('price', price?.[side] ?? 0), MOST_TOKENS, ['usd_per_1m', side], say)
}

/** As many as the meter of a route may hold. */
const MOST_TOKENS = 10_000_000

function lintImage({ usd_per_image: price }: ImageModelSection, say: Say): void {
  const prices =
    typeof price === 'object'
      ? Object.entries(price).map(([size, usd]) => ({ usd, path: ['usd_per_image', size] }))
      : [{ usd: price, path: ['usd_per_image'] }]
  for (const { usd, path } of prices) {
    const nano = unitOf('usd', usd)
    if (nano > 10_000_000_000) {
      say(path, 'warning', 'price-high', 'more than 10 USD for an image', 'is this a price for a thousand images?')
    } else if (nano > 0 && nano < 100_000) {
      say(path, 'warning', 'price-low', 'less than 0.0001 USD for an image', 'is this a price for a part of one?')
    }
  }
}
