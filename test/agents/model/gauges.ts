import type { Call, Conversation, Script } from './conversation.ts'

/** The task of the libraries' programs, whose tools are `find_station` and `read_gauge`. */
export const TASK = 'What do the gauges of Oslo and Rome say?'

/** The last answer of a client that passed every tool result to the model and back. */
export const ANSWER = 'Stations K-Oslo-4 and K-Rome-4 say: K-Oslo-4 is at 8.5 mm, K-Rome-4 is at 8.5 mm.'

/** How the model tells it, for clients that do not read all that a model may do. */
export interface Manner {
  /** It calls one tool at a time, and so has a fourth turn. */
  readonly oneByOne?: boolean
  readonly reasons?: boolean
}

/** Three turns: two calls in parallel, one call with what both gave, and a text with all of it. */
export const playGauges =
  ({ oneByOne = false, reasons = false }: Manner = {}): Script =>
  conversation => {
    const stations = resultsOf(conversation, 'find_station').map(text => String(JSON.parse(text).station))
    const [reading] = resultsOf(conversation, 'read_gauge')
    const manner = reasons ? { reasoning: `I have ${conversation.results.length} results.` } : {}
    if (reading !== undefined) return { ...manner, text: `Stations ${stations.join(' and ')} say: ${reading}.` }
    if (stations.length === CITIES.length) return { ...manner, calls: [call('call_c', 'read_gauge', { stations })] }
    const cities = CITIES.slice(stations.length, oneByOne ? stations.length + 1 : undefined)
    const calls = cities.map(city => call(`call_${city.toLowerCase()}`, 'find_station', { city }))
    return { ...manner, text: 'Looking.', calls }
  }

const CITIES = ['Oslo', 'Rome']

/** Results of the calls of one tool, in the order of the calls. */
function resultsOf({ calls, results }: Conversation, name: string): string[] {
  return calls
    .filter(made => made.name === name)
    .flatMap(({ id }) => results.filter(({ callId }) => callId === id).map(({ text }) => text))
}

const call = (id: string, name: string, args: object): Call => ({ id, name, arguments: JSON.stringify(args) })
