import { clientSuite } from './support/installed.ts'
import { taskScenarios } from './support/tasks.ts'

const command = [process.execPath, 'test/agents/clients/node/ai-sdk.mjs'] as const

clientSuite({ registry: 'npm', name: 'ai' }, () =>
  taskScenarios(command, { compatible: 'chat', 'openai.chat': 'chat', openai: 'responses', anthropic: 'messages' }),
)
