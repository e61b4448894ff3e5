import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'

/** The output of a block of commands, and the exit code of the first that failed, or 0. */
export interface Left {
  readonly output: string
  readonly code: number
}

/** Separates the output of a block from its exit code. */
const END = '\u0001'

/** One bash in which the blocks of a page run one after another, keeping variables and the directory. */
export class Shell {
  readonly #bash: ChildProcessWithoutNullStreams
  #output = ''
  #heard = () => {}
  #ended = () => {}

  constructor(directory: string, env: Readonly<Record<string, string>>, watch: (written: string) => void = () => {}) {
    this.#bash = spawn('bash', ['--norc'], { cwd: directory, env })
    for (const stream of [this.#bash.stdout, this.#bash.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text
        watch(this.#output)
        this.#heard()
      })
    }
    this.#bash.once('close', () => this.#ended())
    this.#bash.stdin.write(`exec 2>&1\ntrap '[ "$failed" -ne 0 ] || failed=$?' ERR\n`)
  }

  /** Resolves once the block has ended. Rejects if bash itself ends first. */
  async run(block: string): Promise<Left> {
    this.#output = ''
    const ended = new Promise<string>((resolve, reject) => {
      this.#heard = () => this.#output.includes(END) && this.#output.endsWith('\n') && resolve(this.#output)
      this.#ended = () => reject(new Error(`the shell ended:\n${this.#output}`))
    })
    this.#bash.stdin.write(`failed=0\n${block}\nprintf '${END}%d\\n' "$failed"\n`)
    const [output = '', code] = (await ended).split(END)
    return { output, code: Number(code) }
  }

  /** Starts the block in the background, with its output in a file, until the shell ends. Resolves with its process id. */
  async start(block: string, log: string): Promise<string> {
    const { output } = await this.run(`(\n${block}\n) > '${log}' 2>&1 &\necho $!`)
    return output.trim()
  }

  /** Ends the background processes and the shell. */
  async end(): Promise<void> {
    const closed = once(this.#bash, 'close')
    this.#bash.stdin.end('kill $(jobs -p) 2>/dev/null\nwait\n')
    await closed
  }
}
