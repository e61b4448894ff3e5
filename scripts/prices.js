// Writes importers/src/listed-prices.ts, the prices that `svcctl import` proposes, from @pydantic/genai-prices. Run it after
// upgrading that package. The package itself is not shipped: it is 2 MB, and also reads the tokens of answers.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findProvider } from '@pydantic/genai-prices'

/** Providers whose models an import recognises and that charge by token. */
const PROVIDERS = [
  ...['openai', 'anthropic', 'google', 'azure', 'mistral', 'groq', 'deepseek', 'x-ai', 'cohere', 'together'],
  ...['fireworks', 'perplexity', 'cerebras', 'moonshotai', 'novita', 'voyageai', 'zai', 'baseten'],
]
const MOST_USD = 500
const today = new Date().toISOString().slice(0, 10)

function lineOf(provider, { match, prices }) {
  const current = Array.isArray(prices) ? currentOf(prices) : prices
  const [input, output, cached, write] = ['input', 'output', 'cache_read', 'cache_write'].map(kind =>
    baseOf(current?.[`${kind}_mtok`]),
  )
  const names = namesIn(match).filter(name => /^[!-~]+$/.test(name) && !/[`]|\$\{/.test(name))
  if (input === undefined || names.length === 0 || [input, output, cached, write].some(usd => usd > MOST_USD)) return []
  const isTiered = Object.values(current).some(price => typeof price === 'object')
  const numbers = [input, output, cached, write].map(usd => usd ?? '-')
  return [[provider, ...numbers, isTiered ? '+' : '-', ...names].join(' ')]
}

/** The newest price in effect. A price for some hours of the day cannot be billed by the month. */
function currentOf(all) {
  const begun = ({ constraint }) => !constraint || (constraint.type === 'start_date' && constraint.start_date <= today)
  return all.filter(begun).at(-1)?.prices
}

function baseOf(price) {
  return typeof price === 'object' ? price.base : price
}

/** Names with a sign that tells how they are compared. */
function namesIn(match) {
  if (match.or) return match.or.flatMap(namesIn)
  if (match.and) return [`/^${match.and.map(aheadOf).join('')}`]
  if (match.equals) return [`=${match.equals}`]
  if (match.starts_with) return [`^${match.starts_with}`]
  if (match.ends_with) return [`$${match.ends_with}`]
  if (match.contains) return [`*${match.contains}`]
  return match.regex ? [`/${match.regex}`] : []
}

/** One of several conditions, as a lookahead from the start of a name. */
function aheadOf(match) {
  const plain = text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  if (match.starts_with) return `(?=${plain(match.starts_with)})`
  if (match.contains) return `(?=.*${plain(match.contains)})`
  if (match.regex?.startsWith('^')) return `(?=${match.regex.slice(1)})`
  throw new Error(`scripts/prices.js does not know how to write ${JSON.stringify(match)} as a regular expression`)
}

function packageFile() {
  const entry = createRequire(import.meta.url).resolve('@pydantic/genai-prices')
  return join(dirname(dirname(entry)), 'package.json')
}

const { version } = JSON.parse(readFileSync(packageFile(), 'utf8'))
const lines = PROVIDERS.flatMap(id => findProvider({ providerId: id }).models.flatMap(model => lineOf(id, model)))
writeFileSync(
  fileURLToPath(new URL('../importers/src/listed-prices.ts', import.meta.url)),
  `// Generated from @pydantic/genai-prices (MIT) by scripts/prices.js. Do not edit.

/** The source of the prices, and the day for which they were taken. */
export const SOURCE = { name: '@pydantic/genai-prices', version: '${version}', day: '${today}' } as const

/** A model a line: provider, US dollars for a million tokens in, out, read from a cache and written to it, \`+\` where long prompts cost more, and the names that it has. */
export const LISTED = String.raw\`
${lines.join('\n')}
\`
`,
)
