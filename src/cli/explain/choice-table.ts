import { COST_TEXT } from '../../policy/balance/pool-choice.ts'
import type { ShownChoice, ShownFigures } from '../../wire/admin/pool-choice.ts'
import { type Column, foldedText, tableText } from '../kit/table.ts'

const COLUMNS: readonly Column[] = [
  { title: '  #' },
  { title: 'REPLICA', least: 20 },
  { title: 'MISS', number: true },
  { title: 'OWED', number: true, gives: 2 },
  { title: 'HELD', number: true, gives: 1 },
  { title: 'RUNNING', number: true },
  { title: 'COST', number: true },
  { title: 'LOAD-AGE', number: true, gives: 0 },
  { title: '' },
]

/** The cost at each replica of the pools that choose by it, and the formula; nothing where none does. */
export function choiceTables(choices: readonly ShownChoice[]): readonly string[] {
  const weighed = choices.filter(({ balance }) => balance !== 'busy')
  if (weighed.length === 0) return []
  return [...weighed.map(choiceTable), foldedText(`${COST_TEXT}.`)]
}

function choiceTable({ pool, balance, prompt_tokens, chosen, replicas }: ShownChoice): string {
  const title = `${pool} by ${balance}, ${prompt_tokens.toLocaleString('en')} prompt tokens`
  return `${title}\n${tableText(
    COLUMNS,
    replicas.map(each => cells(each, chosen)),
  )}`
}

const cells = (figures: ShownFigures, chosen: number | null): readonly string[] => {
  const { replica, url, miss_tokens, owed_tokens, held_tokens, running, cost, load_age_ms } = figures
  const counts = [miss_tokens, owed_tokens, held_tokens, running, cost].map(String)
  const age = load_age_ms === null ? '-' : `${(load_age_ms / 1000).toFixed(1)} s`
  return [`  ${replica}`, url, ...counts, age, stateText(figures, chosen)]
}

/** How a replica stands in the choice. */
function stateText({ replica, fitness, full, near }: ShownFigures, chosen: number | null): string {
  const state = fitness === 'usable' ? (replica === chosen ? 'chosen' : near ? 'near' : '') : fitness
  return [state, full ? 'full' : ''].filter(Boolean).join(', ')
}
