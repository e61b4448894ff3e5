import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import type { Ran } from '../cli/program.ts'

/** One call of svcctl from a shell: its words, directory and variables. */
export interface Call {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** A shell script that stands in for svcctl, until it is closed. */
export interface Resident {
  readonly script: string
  close(): void
}

/**
 * Makes a script that hands each call of svcctl to `run`, so that one process can serve all calls of a shell. Only `svcctl serve` is a
 * process of its own, started by `serve`, a command line. The script needs bash, and passes no stdin on.
 */
export async function makeResident(
  folder: string,
  serve: string,
  run: (call: Call) => Promise<Ran>,
): Promise<Resident> {
  let calls = 0
  const left = join(folder, '.svcctl')
  const server = createServer(socket => {
    let sent = ''
    socket.setEncoding('utf8').on('data', async (text: string) => {
      sent += text
      const call = callIn(sent)
      if (!call) return
      const { code, stdout, stderr } = await run(call).catch(error => ({ code: 70, stdout: '', stderr: `${error}\n` }))
      const number = calls++
      writeFileSync(`${left}.${number}.out`, stdout)
      writeFileSync(`${left}.${number}.err`, stderr)
      socket.end(`${code} ${number}\n`)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const script = `#!/bin/bash
[ "$1" = serve ] && exec ${serve} "$@"
exec 3<>/dev/tcp/127.0.0.1/${port}
{ printf '%s\\0' "$PWD" "$#" "$@"; env -0; printf '\\0'; } >&3
read -r code number <&3
cat '${left}.'$number.out
cat '${left}.'$number.err >&2
exit $code
`
  return { script, close: () => server.close() }
}

/** The call that the script sent: directory, number of words, words, variables and an empty field. Nothing until all of it has come. */
function callIn(sent: string): Call | undefined {
  const [cwd = '', count, ...rest] = sent.split('\0').slice(0, -1)
  const args = rest.slice(0, Number(count))
  const variables = rest.slice(Number(count))
  if (count === undefined || variables.at(-1) !== '') return undefined
  return { args, cwd, env: Object.fromEntries(variables.slice(0, -1).map(each => each.split(/=([\s\S]*)/))) }
}
