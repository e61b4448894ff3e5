import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Behaviour, Seen } from '../../support/backend.ts'
import type { Script } from '../model/conversation.ts'
import { playWorkshop, TASK } from '../model/workshop.ts'
import { type Ended, makeSite, runAgent, type Setup } from './agent.ts'
import { MODEL, type Rig, startRig } from './rig.ts'

/** Differences from the task of every agent. */
export interface Trouble {
  readonly model?: string
  readonly reasons?: boolean
  readonly plays?: Script
  /** The backend's behaviour for the first requests. */
  readonly first?: readonly Behaviour[]
  /** The backend's behaviour for the first request with a tool result. */
  readonly onResult?: Behaviour
  /** More files in the work folder. */
  readonly files?: Readonly<Record<string, Uint8Array | string>>
  readonly plan?: string
}

/** The outcome. */
export interface Outcome extends Ended {
  readonly rig: Rig
  /** A file of the work folder. */
  read(name: string): string
}

/** One run of an agent, of which the checks look at what it showed and what the backend got. */
export async function inTrouble(setup: Setup, trouble: Trouble, check: (outcome: Outcome) => void): Promise<void> {
  const { work, home, remove } = makeSite()
  const { model = MODEL, reasons = false, plays, first = [], onResult, files = {} } = trouble
  for (const [name, content] of Object.entries(files)) writeFileSync(join(work, name), content)
  const rig = await startRig('translated', plays ?? playWorkshop(work, { reasons }))
  rig.backend.next(...first)
  if (onResult) onFirstResult(rig, onResult)
  try {
    const { baseURL } = rig
    const key = trouble.plan ? await rig.test.key(trouble.plan, 'grace') : rig.key
    const ended = await runAgent(setup, { work, home, baseURL, key, model, task: TASK })
    check({ ...ended, rig, read: name => readFileSync(join(work, name), 'utf8') })
  } finally {
    await rig.close()
    await remove()
  }
}

function onFirstResult({ backend, model }: Rig, behaviour: Behaviour): void {
  let isOver = false
  backend.always(exchange => {
    if (isOver || !hasResult(exchange.seen)) return model.answer(exchange)
    isOver = true
    return behaviour(exchange)
  })
}

const hasResult = ({ body: { messages } }: Seen): boolean =>
  Array.isArray(messages) && messages.some(({ role }) => role === 'tool')

/** Reasoning that came back to the model, in any of its requests. */
export const remembered = ({ model }: Rig): string[] =>
  model.served.flatMap(({ conversation }) => conversation.reasoning)

/** Two commands at once, then what each of them said: clients send results as they come. */
export const playTwoCommands: Script = ({ tools, calls, results }) => {
  const shell = tools.find(({ name }) => /^(bash|exec_command|shell)$/i.test(name))
  if (!shell) return { text: 'Two commands' }
  const argument = 'cmd' in shell.properties ? 'cmd' : 'command'
  if (results.length > 0) {
    const said = calls.map(({ id }) => results.find(({ callId }) => callId === id)?.text.match(/said-\w+/)?.[0])
    return { text: `They say ${said.join(' and ')}.` }
  }
  return {
    calls: ['one', 'two'].map(word => ({
      id: `call_${word}`,
      name: shell.name,
      arguments: JSON.stringify({ [argument]: `echo said-${word}`, description: 'as asked' }),
    })),
  }
}

/** A tool that shows an image of the work folder, and then a text. */
export const playLooking =
  (tool: string, argument: string, path: string): Script =>
  ({ tools, results }) => {
    if (!tools.some(({ name }) => name === tool)) return { text: 'An image' }
    if (results.length > 0) return { text: 'I have seen it.' }
    return { calls: [{ id: 'call_see', name: tool, arguments: JSON.stringify({ [argument]: path }) }] }
  }

/** A PNG of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
