import type { Call, Conversation, Script } from './conversation.ts'

/** The task of the libraries' programs, whose tools are `find_station` and `read_gauge`. */
export const TASK = 'What do the gauges of Oslo and Rome say?'

/** What a client says in the end that brought every result of a tool to the model and back. */
export const ANSWER = 'Stations K-Oslo-4 and K-Rome-4 say: K-Oslo-4 is at 8.5 mm, K-Rome-4 is at 8.5 mm.'

/** Three turns: two calls in parallel, one call with what both gave, and a text with all of it. */
export const playGauges =
  ({ reasons = false } = {}): Script =>
  conversation => {
    const stations = resultsOf(conversation, 'find_station').map(text => String(JSON.parse(text).station))
    const [reading] = resultsOf(conversation, 'read_gauge')
    const reasoning = reasons ? { reasoning: `I have ${conversation.results.length} results.` } : {}
    if (reading !== undefined) return { ...reasoning, text: `Stations ${stations.join(' and ')} say: ${reading}.` }
    if (stations.length > 0) return { ...reasoning, calls: [call('call_c', 'read_gauge', { stations })] }
    const cities = ['Oslo', 'Rome']
    return {
      ...reasoning,
      text: 'Looking.',
      calls: cities.map((city, i) => call(`call_${'ab'[i]}`, 'find_station', { city })),
    }
  }

/** Results of the calls of one tool, in the order of the calls. */
function resultsOf({ calls, results }: Conversation, name: string): string[] {
  return calls
    .filter(made => made.name === name)
    .flatMap(({ id }) => results.filter(({ callId }) => callId === id).map(({ text }) => text))
}

const call = (id: string, name: string, args: object): Call => ({ id, name, arguments: JSON.stringify(args) })
