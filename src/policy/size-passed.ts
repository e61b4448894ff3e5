import { type Config, type Passthrough, type Plan, placeOf } from './config.ts'
import type { PassthroughAsk } from './facts.ts'
import { worstOf } from './meter.ts'
import { ONE_NANO_USD } from './nano-usd.ts'
import { NO_PRICE } from './price.ts'
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

function sizedBy({ meter, model }: Passthrough): Sized {
  if (meter.by !== 'usage') {
    // What the request comes to is measured: each item is one nano-USD.
    return { input: 0, output: SILENT, price: { ...NO_PRICE, item: ONE_NANO_USD }, items: worstOf(meter) }
  }
  const output = { want: meter.output, min: meter.output, choices: 1 }
  return { input: meter.input, output, price: model.price ?? NO_PRICE, items: 0 }
}
