import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { compileProgram, type Program, type Running } from './program.ts'

const shell = (command: string) => promisify(execFile)('bash', ['-c', command])

let program: Program
let demo: Running
let banner: string

beforeAll(async () => {
  program = compileProgram()
  demo = program.start(['serve', '--demo'])
  banner = await demo.until('Pull a plug')
}, 60_000)

afterAll(() => program.end())

/** The commands to paste, as they stand in the banner. */
const pasted = () => banner.match(/ {2}curl (?:.*\\\n)+.*/g) ?? []
const pidOf = (name: string) => new RegExp(`${name} \\(pid (\\d+)\\)`).exec(banner)?.[1] ?? ''

it('the pasted curl answers', async () => {
  const { stdout } = await shell(pasted()[0] ?? '')

  expect(stdout).toMatch(/^HTTP\/1.1 200 OK/)
  expect(stdout).toContain('x-svc-upstream: onprem-core')
  expect(stdout).toContain('85')
})

it('the pasted stream answers, to its end', async () => {
  const { stdout } = await shell(pasted()[1] ?? '')

  expect(stdout).toMatch(/data: \{.*"20"|20/)
  expect(stdout.trim().endsWith('data: [DONE]')).toBe(true)
})

it('the tools are named with where they run', () => {
  expect(banner).toMatch(
    /Tools {5}docs_search {5}http:\/\/127\.0\.0\.1:\d+\/mcp \(pid \d+\)\n +convert_units {3}http:\/\/127\.0\.0\.1:\d+\/convert \(pid \d+\)\n +current_time, calculator {3}in the gateway\n/,
  )
})

it('the pasted request with a tool is answered with what the tool said, and its line names the tool', async () => {
  const { stdout } = await shell(pasted()[2] ?? '')

  expect(JSON.parse(stdout).choices[0].message.content).toContain('The tool convert_units said: "5 mi = 8.04672 km".')
  await demo.until(/svc-auto → svc-core {2}convert_units {2}onprem-core/)
})

it('the tool of the MCP server searches the documents of this package', async () => {
  const request = (pasted()[2] ?? '')
    .replace('convert_units', 'docs_search')
    .replace('Convert 5 miles to km', 'Search the docs: how does failover work?')
  const { stdout } = await shell(request)

  expect(JSON.parse(stdout).choices[0].message.content).toMatch(/The tool docs_search said: "1\. .+ \(\S+\.md\)\n/)
})

it('every request is a line, with who answered and what it cost', async () => {
  await shell(pasted()[0] ?? '')

  expect(await demo.until(/200 {2}svc-auto → svc-core {2}onprem-core {2}\d+ ms {2}\d+\+\d+ tok {2}\$0\.0/)).toBeTruthy()
})

it('with its backends killed the next request is answered by the next pool, and its line says so', async () => {
  process.kill(Number(pidOf('onprem-core-1')))
  process.kill(Number(pidOf('onprem-core-2')))
  await demo.until('backend onprem-core-2 has ended')

  const { stdout } = await shell(pasted()[0] ?? '')

  expect(stdout).toContain('x-svc-upstream: cloud-core')
  await demo.until(/onprem-core ✗ ECONNREFUSED → onprem-core ✗ ECONNREFUSED → cloud-core/)
})

it('killed tools are told, and requests with them are answered without their result', async () => {
  process.kill(Number(pidOf('/convert')))
  await demo.until('the tool server has ended')

  const { stdout } = await shell(pasted()[2] ?? '')

  expect(JSON.parse(stdout).choices[0].message.content).not.toContain('8.04672')
})

it('ends with 0 and leaves no backend behind', async () => {
  const pid = Number(pidOf('cloud'))

  expect(await demo.end()).toBe(0)
  expect(() => process.kill(pid, 0)).toThrow(/ESRCH/)
})
