import { loadToShow } from '../../operator/load-files.ts'
import type { Config, Meter, Model, Plan } from '../../policy/config.ts'
import { nanoUsd } from '../../policy/nano-usd.ts'
import { usdText } from '../../wire/money.ts'
import { shownModel } from '../show/shown-policy.ts'
import { type Column, tableText } from '../table.ts'
import { writeJson, writeOut } from '../terminal.ts'
import type { ModelsOptions } from './models.ts'

/** Prints the models of a configuration. Rejects with CommandFailed when it has Problems. */
export async function models({ config: file, json }: ModelsOptions): Promise<void> {
  const { config } = loadToShow(file)
  await (json ? writeJson({ object: 'list', data: modelsJson(config) }) : writeOut([`${modelsText(config)}\n`]))
}

/** Each model with the fields of the file, its aliases, and the plans that include it. */
const modelsJson = ({ models: all, aliases, plans }: Config): readonly object[] =>
  [...all.values()].map(model => ({
    id: model.name,
    ...shownModel(model),
    aliases: [...aliases.values()].filter(alias => alias.model === model).map(({ name }) => name),
    plans: including(plans, model),
  }))

function modelsText({ models: all, plans, passthrough }: Config): string {
  const rows = [...all.values()].map(model => [
    model.name,
    model.kind,
    model.tier,
    model.serve.map(({ name }) => name).join(' > '),
    'context' in model ? String(model.context) : '-',
    priceText(model, passthrough),
    including(plans, model).join(', ') || '-',
  ])
  return tableText(COLUMNS, rows)
}

const COLUMNS: readonly Column[] = [
  { title: 'MODEL' },
  { title: 'KIND', gives: 2 },
  { title: 'TIER', gives: 3 },
  // Whole where others can give way: who answers in which order is what the command is asked for.
  { title: 'POOLS', least: 20, gives: 4 },
  { title: 'CONTEXT', number: true },
  { title: 'PRICE' },
  { title: 'PLANS', least: 10, gives: 1 },
]

/** `$0.1 in, $0.4 out /1M`, of images each size. */
function priceText(model: Model, passthrough: Config['passthrough']): string {
  if (model.kind === 'image') return [...model.sizes].map(([size, nano]) => `$${usdText(nano)} ${size}`).join(', ')
  if (model.kind === 'passthrough')
    return [...passthrough.values()]
      .flatMap(route => (route.model === model ? [meterText(route.meter)] : []))
      .join(', ')
  // Nano-USD for 1,000 tokens: a thousand times as much for a million.
  const text = (nano: number) => `$${usdText(nanoUsd(nano * 1000))}`
  const { input, output } = model.price
  return model.kind === 'chat' ? `${text(input)} in, ${text(output)} out /1M` : `${text(input)} in /1M`
}

const meterText = (meter: Meter): string =>
  meter.by === 'usage' ? 'by usage' : `$${usdText(meter.price)} a ${meter.by === 'mb' ? 'MB' : meter.by}`

const including = (plans: ReadonlyMap<string, Plan>, { name }: Model): readonly string[] =>
  [...plans.values()].filter(plan => plan.models.has(name)).map(plan => plan.name)
