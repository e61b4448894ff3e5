import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base'
import type { Alarm } from '../../gateway/ports.ts'

/** An exporter that tells operators, once, that spans cannot be sent, and when they are again. */
export function toldExporter(exporter: SpanExporter, endpoint: string, alarm: Alarm): SpanExporter {
  let lost = 0
  const tell = (spans: number, error: string | undefined) => {
    if (error !== undefined) {
      if (lost === 0) alarm('traces cannot be sent: spans are lost, requests go on', { endpoint, error })
      lost += spans
    } else if (lost > 0) {
      alarm('traces are sent again', { endpoint, lost })
      lost = 0
    }
  }
  return {
    export: (spans: ReadableSpan[], done) =>
      exporter.export(spans, result => {
        // 0 is success.
        tell(spans.length, result.code === 0 ? undefined : (result.error?.message ?? 'unknown'))
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
  }
}
