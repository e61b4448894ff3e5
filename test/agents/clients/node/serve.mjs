import { createInterface } from 'node:readline'

/** Runs each task that comes on a line, by the function of its form, and writes a line of what came of it. */
export async function serve(forms) {
  for await (const line of createInterface({ input: process.stdin })) {
    const task = JSON.parse(line)
    const ran = []
    const tools = {
      find_station: ({ city }) => {
        ran.push('find_station')
        return JSON.stringify({ station: `K-${city}-${city.length}` })
      },
      read_gauge: ({ stations }) => {
        ran.push('read_gauge')
        return stations.map(station => `${station} is at ${station.length + 0.5} mm`).join(', ')
      },
    }
    const outcome = await forms[task.form](task, tools).then(
      said => ({ ...said, ran }),
      error => ({ error: `${error?.stack ?? error} ${JSON.stringify(error)}` }),
    )
    process.stdout.write(`outcome ${JSON.stringify(outcome)}\n`)
  }
}

/** JSON Schemas of the tools' arguments. */
export const schemas = {
  find_station: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
  read_gauge: {
    type: 'object',
    properties: { stations: { type: 'array', items: { type: 'string' } } },
    required: ['stations'],
    additionalProperties: false,
  },
}

export const descriptions = {
  find_station: 'The station of a city',
  read_gauge: 'What the gauges of stations say',
}

/** The error of a request that is to fail. */
export const refused = asked =>
  asked.then(
    () => 'it was served',
    error => {
      const { status, code, param, message } = error
      return { name: error.constructor.name, status, code, param, message }
    },
  )
