import { type Config, type Passthrough, type Plan, type Price, placeOf } from './config.ts'
import type { PassthroughAsk } from './facts.ts'
import { worstOf } from './meter.ts'
import { type Ruling, refused } from './ruling.ts'
import { overMinute, SILENT, type Sized } from './sized.ts'

/** What a request of a pass-through route may take: the most that its meter declares. */
export function sizePassed(config: Pick<Config, 'passthrough'>, plan: Plan, request: PassthroughAsk): Ruling<Sized> {
  const route = config.passthrough.get(request.path)
  if (!route) return refused('body', 'path', `nothing is passed through at ${request.path}`)
  const sized = sizedBy(route)
  const needed = sized.input + sized.output.min
  if (needed > plan.tpm) return overMinute(plan, 'body', needed)
  const text = `${request.path} is paid by the ${route.meter.by}`
  return { step: { stage: 'body', outcome: 'pass', text, at: placeOf(route, 'meter') }, value: sized }
}

const NO_TOKENS: Price = { input: 0, output: 0 }

function sizedBy({ meter, model }: Passthrough): Sized {
  if (meter.by !== 'usage') {
    // Nano-USD at a price of 1: what it comes to is measured.
    return { input: 0, output: SILENT, price: { ...NO_TOKENS, item: 1 }, items: worstOf(meter) }
  }
  const output = { want: meter.output, min: meter.output, choices: 1 }
  return { input: meter.input, output, price: model.price ?? NO_TOKENS, items: 0 }
}
