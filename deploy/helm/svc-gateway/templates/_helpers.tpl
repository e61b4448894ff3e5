{{- define "svc.name" -}}
{{ .Values.nameOverride | default .Release.Name | trunc 52 | trimSuffix "-" }}
{{- end }}

{{- define "svc.selector" -}}
app.kubernetes.io/name: svc-gateway
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "svc.labels" -}}
{{ include "svc.selector" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "svc.metadata" -}}
name: {{ include "svc.name" . }}
namespace: {{ .Release.Namespace }}
labels:
  {{- include "svc.labels" . | nindent 2 }}
{{- end }}

{{/* The config.yaml of the chart; .Values.config is laid over it. */}}
{{- define "svc.config" -}}
version: 1
server:
  listen: 0.0.0.0:8080
  admin_token: "file:/run/secrets/svc-gateway/{{ .Values.adminTokenKey }}"
  admin: 0.0.0.0:9090 {{/* the NetworkPolicy lets in operators alone */}}
  fleet_url: http://${POD_IP}:9090
  public_url: {{ .Values.publicUrl }}
  {{- /* A folder of the gateway: the mount itself belongs to root. */}}
  state_dir: /var/lib/svc-gateway/data
  drain_delay: 10s
  drain_timeout: 600s
  {{- if eq .Values.store "redis" }}
  instances: {{ if .Values.autoscaling.enabled }}{{ .Values.autoscaling.maxReplicas }}{{ else }}{{ .Values.replicas }}{{ end }}
  {{- end }}
{{- if eq .Values.store "redis" }}
store: {{ .Values.redis.url }}
{{- with .Values.redis.passwordFile }}
redis: { password: "file:/run/secrets/svc-gateway/{{ . }}" }
{{- end }}
{{- else }}
store: embedded:/var/lib/svc-gateway/data
{{- end }}
log: { format: json }
metrics: { token: "file:/run/secrets/svc-gateway/{{ .Values.metricsTokenKey }}" }
include: [policies/*.yaml]
{{- end }}

{{/* The pods of a Deployment and of a StatefulSet. */}}
{{- define "svc.pod" -}}
metadata:
  labels:
    {{- include "svc.labels" . | nindent 4 }}
  {{- with .Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  # server.drain_delay and server.drain_timeout, and the last words.
  terminationGracePeriodSeconds: 630
  automountServiceAccountToken: false
  enableServiceLinks: false
  securityContext:
    runAsNonRoot: true
    runAsUser: 1000
    runAsGroup: 1000
    fsGroup: 1000
    seccompProfile: { type: RuntimeDefault }
  {{- with .Values.image.pullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "svc.selector" . | nindent 10 }}
  containers:
    - name: gateway
      image: {{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      # A ConfigMap or a Secret that changes is taken without a restart, whole or not at all.
      args: [serve, --watch, -c, /etc/svc-gateway/config.yaml]
      env:
        - name: POD_IP
          valueFrom: { fieldRef: { fieldPath: status.podIP } }
        - name: SVCCTL_CONFIG
          value: /etc/svc-gateway/config.yaml
        {{- with .Values.env }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      ports:
        - { name: http, containerPort: 8080 }
        - { name: admin, containerPort: 9090 }
      # A large ledger may take a while to open.
      startupProbe:
        httpGet: { path: /healthz, port: admin }
        periodSeconds: 2
        failureThreshold: 60
      livenessProbe:
        httpGet: { path: /healthz, port: admin }
        periodSeconds: 10
        timeoutSeconds: 3
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /readyz, port: http }
        periodSeconds: 3
        timeoutSeconds: 3
        failureThreshold: 2
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      volumeMounts:
        - { name: config, mountPath: /etc/svc-gateway, readOnly: true }
        - { name: secrets, mountPath: /run/secrets/svc-gateway, readOnly: true }
        - { name: state, mountPath: /var/lib/svc-gateway }
        - { name: tmp, mountPath: /tmp }
  volumes:
    - name: config
      configMap:
        name: {{ .Values.existingConfigMap | default (include "svc.name" .) }}
        {{- if not .Values.existingConfigMap }}
        items:
          - { key: config.yaml, path: config.yaml }
          {{- range $file, $text := .Values.policies }}
          - { key: {{ $file }}, path: policies/{{ $file }} }
          {{- end }}
        {{- end }}
    - name: secrets
      secret: { secretName: {{ .Values.secret }}, defaultMode: 0440 }
    - name: tmp
      emptyDir: {}
{{- end }}
