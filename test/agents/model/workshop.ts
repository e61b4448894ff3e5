import type { Call, Conversation, Fields, Script, Step, Tool } from './conversation.ts'

/** The task of agents that have tools of their own for running commands and for writing files. */
export const TASK = 'Find out which station station.txt names, write it into hello.txt, and tell me.'
/** The content of station.txt. */
export const STATION = 'K-Oslo-4'
/** The required content of hello.txt. */
export const HELLO = `The station is ${STATION}.\n`

/** Three turns in a folder: a command whose output is needed, a file with it, and a text. */
export const playWorkshop =
  (folder: string, { reasons = false } = {}): Script =>
  conversation => {
    const step = nextStep(folder, conversation)
    return reasons ? { reasoning: `I have ${conversation.results.length} results.`, ...step } : step
  }

function nextStep(folder: string, conversation: Conversation): Step {
  const { tools, calls, results } = conversation
  const shell =
    tools.find(({ name, kind }) => kind === 'function' && SHELLS.test(name)) ??
    tools.find(({ name }) => SCRIPTS.test(name))
  // Agents also ask for titles and summaries.
  if (!shell) return { text: 'A station' }
  const station = results.map(({ text }) => text.match(/K-[A-Z][a-z]+-\d/)?.[0]).find(Boolean)
  if (station === undefined) return { text: 'Looking.', calls: [run(shell, 'call_look', 'cat station.txt')] }
  if (calls.length < 2)
    return { calls: [write(conversation, shell, `${folder}/hello.txt`, `The station is ${station}.\n`)] }
  return { text: `hello.txt names the station ${station}.` }
}

const SHELLS = /^(bash|exec_command|shell|shell_command|run_shell_command|run_commands|execute_command)$/i
/** A custom tool of Codex that runs JavaScript, in which its other tools are functions. */
const SCRIPTS = /^(functions__)?exec$/
const WRITERS = /^(write|write_file|editor|create)$/i

function write({ tools }: Conversation, shell: Tool, path: string, content: string): Call {
  const patcher = tools.find(({ name }) => name === 'apply_patch')
  if (patcher) return patch(patcher, `*** Begin Patch\n*** Add File: ${path}\n+${content}*** End Patch\n`)
  const writer = tools.find(({ name }) => WRITERS.test(name))
  if (!writer) return run(shell, 'call_write', `printf '${content.replace('\n', '\\n')}' > '${path}'`)
  const known = Object.keys(writer.properties)
  const values = Object.fromEntries(
    known.flatMap(name =>
      /path$/i.test(name) ? [[name, path]] : /^(content|new_text|file_text)$/.test(name) ? [[name, content]] : [],
    ),
  )
  return { id: 'call_write', name: writer.name, arguments: argumentsOf(writer, values) }
}

const patch = (tool: Tool, input: string): Call => textCall(tool, 'call_write', input)

/** Calls a custom tool with plain text input; a backend without such tools gets a function with one text parameter. */
function textCall({ name, namespace, kind }: Tool, id: string, input: string): Call {
  const isCustom = kind === 'custom'
  const called = { id, name, isCustom, arguments: isCustom ? input : JSON.stringify({ input }) }
  return namespace === undefined ? called : { ...called, namespace }
}

function run(shell: Tool, id: string, command: string): Call {
  if (SCRIPTS.test(shell.name))
    return textCall(shell, id, `text((await tools.exec_command({ cmd: ${JSON.stringify(command)} })).output)`)
  const values = Object.fromEntries(
    Object.entries(shell.properties).flatMap(([name, { type }]) =>
      /^(command|cmd|commands)$/.test(name)
        ? [[name, type !== 'array' ? command : name === 'commands' ? [command] : ['bash', '-lc', command]]]
        : [],
    ),
  )
  return { id, name: shell.name, arguments: argumentsOf(shell, values) }
}

/** With something in each argument that must be there. */
function argumentsOf({ required, properties }: Tool, values: Fields): string {
  const filled = required.map(name => [name, FILLING[String(properties[name]?.type)] ?? 'as asked'] as const)
  return JSON.stringify({ ...Object.fromEntries(filled), ...values })
}

const FILLING: Fields = { boolean: false, number: 1, integer: 1, array: [] }
