/** What sends spans and metrics. */
export interface SendingService {
  readonly name: string
  readonly version: string
  /** The process, among all of the service: a gateway, or a worker of one. */
  readonly instance: string
}
