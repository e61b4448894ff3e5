import { loadToShow } from '../../operator/load-files.ts'
import type { Config, Meter, Model, Plan } from '../../policy/config.ts'
import { type NanoUsd, nanoUsd } from '../../policy/nano-usd.ts'
import { shareText } from '../../policy/traffic/share.ts'
import { dollars, usdText } from '../../wire/money.ts'
import { forPrograms } from '../kit/formats.ts'
import type { Listing } from '../kit/options.ts'
import { type Column, tableText } from '../kit/table.ts'
import { writeOut } from '../kit/terminal.ts'
import { shownModel } from '../show/shown-policy.ts'

/** Prints the models of a configuration. Rejects with CommandFailed when it has Problems. */
export async function models({ config: file, ...options }: Listing): Promise<void> {
  const { config } = loadToShow(file)
  await writeOut([forPrograms(options, { object: 'list', data: modelsJson(config) }) ?? `${modelsText(config)}\n`])
}

/** Each model with the fields of the file, its aliases, and the plans that include it. */
const modelsJson = ({ models: all, aliases, plans }: Config): readonly object[] =>
  [...all.values()].map(model => ({
    id: model.name,
    ...shownModel(model),
    aliases: [...aliases.values()].filter(alias => alias.model === model).map(({ name }) => name),
    plans: including(plans, model),
  }))

/** Models as people read them. */
export function modelsText({ models: all, plans, passthrough }: Config): string {
  const rows = [...all.values()].map(model => [
    model.name,
    model.kind,
    model.tier,
    servedText(model),
    'context' in model ? String(model.context) : '-',
    priceText(model, passthrough),
    including(plans, model).join(', ') || '-',
  ])
  return tableText(COLUMNS, rows)
}

const COLUMNS: readonly Column[] = [
  { title: 'MODEL' },
  { title: 'KIND', gives: 2 },
  { title: 'TIER', gives: 1 },
  // The command is about which pools answer, and in which order.
  { title: 'POOLS', least: 16, whole: true },
  { title: 'CONTEXT', number: true, gives: 4 },
  { title: 'PRICE OF 1M TOKENS' },
  // A partial list would suggest that other plans do not include the model.
  { title: 'PLANS', gives: 3 },
]

/** `new 5% > onprem > cloud` */
const servedText = ({ serve, traffic = [] }: Model): string =>
  serve
    .map(pool => {
      const share = traffic.find(each => each.pool === pool)
      return share ? `${pool.name} ${shareText(share.millionths)}` : pool.name
    })
    .join(' > ')

/** `$0.10 in, $0.40 out`, of images `$0.01 to $0.02 an image`. */
function priceText(model: Model, passthrough: Config['passthrough']): string {
  if (model.kind === 'image') return `${rangeText([...model.sizes.values()])} an image`
  if (model.kind === 'passthrough')
    return [...passthrough.values()]
      .flatMap(route => (route.model === model ? [meterText(route.meter)] : []))
      .join(', ')
  // Nano-USD for 1,000 tokens: a thousand times as much for a million.
  const text = (nano: number) => dollars(usdText(nanoUsd(nano * 1000)))
  const { input, output } = model.price
  return model.kind === 'chat' ? `${text(input)} in, ${text(output)} out` : `${text(input)} in`
}

function rangeText(prices: readonly NanoUsd[]): string {
  const [least = 0, ...more] = [...new Set(prices)].sort((a, b) => a - b)
  const most = more.at(-1)
  return [least, ...(most === undefined ? [] : [most])].map(price => dollars(usdText(nanoUsd(price)))).join(' to ')
}

const meterText = (meter: Meter): string =>
  meter.by === 'usage' ? 'by usage' : `${dollars(usdText(meter.price))} a ${meter.by === 'mb' ? 'MB' : meter.by}`

const including = (plans: ReadonlyMap<string, Plan>, { name }: Model): readonly string[] =>
  [...plans.values()].filter(plan => plan.models.has(name)).map(plan => plan.name)
