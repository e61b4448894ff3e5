import { clientSuite } from './support/installed.ts'
import { taskScenarios } from './support/tasks.ts'

const FORMS = {
  compatible: 'chat',
  'openai.chat': 'chat',
  openai: 'responses',
  'openai, kept': { dialect: 'responses', needsKept: true },
  anthropic: 'messages',
} as const

const node = (...version: string[]) => [process.execPath, 'test/agents/clients/node/ai-sdk.mjs', ...version] as const

clientSuite({ registry: 'npm', name: 'ai' }, () => taskScenarios(node(), FORMS))

for (const name of ['ai-5', 'ai-7']) clientSuite({ registry: 'npm', name }, () => taskScenarios(node(name), FORMS))
