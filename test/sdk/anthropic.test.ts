import { writtenSuite } from './support/suite.ts'

writtenSuite(['@anthropic-ai/sdk'], async () => {
  // It imports the package, so only where that is installed.
  const { writtenScenarios } = await import('./anthropic/written.ts')
  writtenScenarios()
})
