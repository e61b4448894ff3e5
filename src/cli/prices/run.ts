import { resolve } from 'node:path'
import { CATALOGUE, listedPrice } from 'svc-gateway-import'
import { counted } from '../../config/format/problem-text.ts'
import { loadToShow } from '../../operator/load-files.ts'
import type { ProviderName } from '../../policy/providers/profile.ts'
import { readBounded } from '../../server/bounded-file.ts'
import { exitCodes } from '../../server/failure.ts'
import { forPrograms } from '../kit/formats.ts'
import { type Column, tableText } from '../kit/table.ts'
import { writeOut } from '../kit/terminal.ts'
import { shownPrice } from '../show/shown-policy.ts'
import { type Catalogue, comparePrices, type Drift, type Unlisted } from './drift.ts'
import { pricePatch } from './patch.ts'
import type { PricesOptions } from './prices.ts'

/** Prints the prices that differ from the catalogue, or a patch. Rejects with CommandFailed when the configuration has Problems. */
export async function checkPrices({ config, patch, exitCode, ...options }: PricesOptions): Promise<void> {
  const { drifts, compared, unlisted } = comparePrices(loadToShow(config), catalogue)
  if (patch) {
    const { text, byHand } = pricePatch(drifts, file => readBounded(resolve(process.cwd(), file), MOST_BYTES))
    await writeOut([text])
    for (const { section, name, rate } of byHand) console.error(`▲ change ${section}.${name} ${rate} by hand`)
    process.stderr.write(unlistedText(unlisted))
  } else {
    const data = drifts.map(shownDrift)
    const list = forPrograms(
      options,
      { object: 'list', data },
      { catalogue: CATALOGUE, compared, not_listed: unlisted },
    )
    await writeOut([list ?? pricesText(drifts, compared) + unlistedText(unlisted)])
  }
  if (exitCode && drifts.length > 0) process.exitCode = exitCodes.changes
}

const MOST_BYTES = 16_000_000

/** Each provider of the profiles by its name in the catalogue; undefined where the catalogue has no prices of it. */
const IN_CATALOGUE: Readonly<Record<ProviderName, string | undefined>> = {
  openai: 'openai',
  azure: 'azure',
  anthropic: 'anthropic',
  gemini: 'gemini',
  vertex: 'gemini',
  bedrock: undefined,
  xai: 'xai',
  deepseek: 'deepseek',
  mistral: 'mistral',
  groq: 'groq',
  cerebras: 'cerebras',
  together: 'together_ai',
  fireworks: 'fireworks_ai',
  openrouter: undefined,
  dashscope: undefined,
  moonshot: 'moonshot',
  zai: 'zai',
  vllm: undefined,
  sglang: undefined,
  llamacpp: undefined,
  tgi: undefined,
  ollama: undefined,
  transformers: undefined,
  litellm: undefined,
}

/** The catalogue that comes with svcctl. */
export const catalogue: Catalogue = (provider, model) => {
  const name = IN_CATALOGUE[provider]
  const listed = name === undefined ? undefined : listedPrice(name, model)
  if (!listed) return undefined
  const { input, output, cached, cacheWrite } = listed
  return { input, output, cached_input: cached, cache_write: cacheWrite }
}

const shownDrift = ({ section, name, at, upstream, provider, rate, configured, listed }: Drift) => ({
  ...{ section, name, file: at.file, line: at.line, provider, upstream, rate },
  configured_usd_per_1m: shownPrice(configured),
  listed_usd_per_1m: shownPrice(listed),
})

function pricesText(drifts: readonly Drift[], compared: number): string {
  const source = `Compared ${counted(compared, 'price')} with ${CATALOGUE}.`
  if (compared === 0) return `${source} It has none of the models that pools at known providers run.\n`
  if (drifts.length === 0) return `${source} None differs.\n`
  const rows = drifts.map(({ section, name, at, upstream, provider, rate, configured, listed, isWritten }) => [
    `${section}.${name}`,
    `${provider} ${upstream}`,
    rate,
    `$${shownPrice(configured)}${isWritten ? '' : ' (by input)'}`,
    `$${shownPrice(listed)}`,
    `${at.file}:${at.line}`,
  ])
  return `${tableText(COLUMNS, rows)}\n\n${source} Prices are per million tokens. --patch prints a change for review.\n`
}

/** A line that names the prices that could not be compared; empty where there is none. */
function unlistedText(unlisted: readonly Unlisted[]): string {
  if (unlisted.length === 0) return ''
  const names = unlisted.map(({ section, name, provider, upstream }) => `${section}.${name} (${provider} ${upstream})`)
  return `▲ not compared, since the catalogue has no price: ${names.join(', ')}\n`
}

const COLUMNS: readonly Column[] = [
  { title: 'PRICE OF', whole: true },
  { title: 'PROVIDER AND MODEL', gives: 3 },
  { title: 'RATE', whole: true },
  { title: 'CONFIGURED', number: true, whole: true },
  { title: 'LISTED', number: true, whole: true },
  { title: 'PLACE', gives: 4 },
]
