// Runs commands of the compiled svcctl one after the other in one process: a start of Node costs more than most commands.
// Arguments: the main module, and a file with a list of { args, env, cwd }; without a list they come as messages. Where a
// command ends, its exit code stands between two NULs on stdout, and on stderr.
import { readFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

const [node, , main, list] = process.argv
const inherited = { ...process.env }
let index = 0
// As streams write before svcctl makes what it prints printable: marks are not.
const writes = new Map([process.stdout, process.stderr].map(stream => [stream, stream.write.bind(stream)]))

/** Resolves also where nobody reads any more: that is told after the write. */
async function say(stream, text) {
  const ignore = () => {}
  stream.on('error', ignore)
  await new Promise(resolve => writes.get(stream)(text, resolve))
  await setImmediate()
  stream.removeListener('error', ignore)
}

async function run({ args, env = {}, cwd }) {
  if (cwd) process.chdir(cwd)
  process.argv = [node, main, ...args]
  process.env = { ...inherited, ...env }
  process.exitCode = undefined
  await import(`${pathToFileURL(main)}?run=${index++}`)
  // Failed writes have been reported by now: an error that the command does not handle ends the process.
  await setImmediate()
  const mark = `\0${process.exitCode ?? 0}\0`
  // Listeners of one command must not help the next one.
  process.stdout.removeAllListeners('error')
  for (const stream of [process.stdout, process.stderr]) await say(stream, mark)
  process.exitCode = 0
}

if (list) for (const command of JSON.parse(readFileSync(list, 'utf8'))) await run(command)
else {
  let last = Promise.resolve()
  process.on('message', command => {
    last = last.then(() => run(command))
  })
}
