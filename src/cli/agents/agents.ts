import type { Command } from 'commander'
import { asksFirst } from '../kit/terminal.ts'
import { nameGateway } from '../login/login.ts'
import type { RunOptions } from './run-agent.ts'
import type { SetupOptions } from './setup-run.ts'

/** Registers `svcctl agents setup` and `svcctl run`. Exit codes: 3 the gateway cannot be reached, 4 sign in first. */
export function registerAgents(program: Command): void {
  const agents = program.command('agents').description('set up coding agents on this machine for the gateway')
  asksFirst(withCredentials(agents.command('setup'), '30d'))
    .description('write the gateway into the files of an agent, and try it with one request')
    .argument('<agent>', NAMES)
    .option('--dry-run', 'show the change alone')
    .option('--undo', 'put the files back, and revoke the key that was minted')
    .action(async (name: string, options: SetupOptions) => {
      const { setUp } = await import('./setup-run.ts')
      await setUp(name, options)
    })

  withCredentials(program.command('run'), '24h')
    .description('run an agent against the gateway, without changing its files')
    .argument('<agent>', NAMES)
    .argument('[arguments...]', 'arguments of the agent, after --')
    .action(async (name: string, args: readonly string[], options: RunOptions) => {
      const { runAgent } = await import('./run-agent.ts')
      await runAgent(name, args, options)
    })
}

const NAMES = 'claude, codex, opencode, qwen, cline, continue, aider, crush, copilot or goose'

const withCredentials = (command: Command, keyLife: string): Command =>
  nameGateway(command)
    .option('--model <model>', 'the model that it uses (default: the first chat model of the gateway)')
    .option('--expires-in <time>', 'how long each token of claude and codex works (default: 1h)')
    .option('--key-life <time>', 'how long the key of any other agent works', keyLife)
