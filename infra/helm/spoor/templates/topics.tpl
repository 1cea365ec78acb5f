# Runs before any role: brokers would create a missing topic with their own settings.
apiVersion: batch/v1
kind: Job
metadata:
  name: spoor-topics
  labels: { app.kubernetes.io/name: spoor, app.kubernetes.io/component: topics }
  annotations:
    helm.sh/hook: pre-install,pre-upgrade
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
spec:
  backoffLimit: 10
  template:
    spec:
      restartPolicy: OnFailure
      enableServiceLinks: false
      automountServiceAccountToken: false
      securityContext: { runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000, seccompProfile: { type: RuntimeDefault } }
      containers:
        - name: topics
          image: {{ .Values.image.repository }}:{{ .Values.image.tag }}
          imagePullPolicy: {{ .Values.image.pullPolicy }}
          args: [topics, apply, --replication, "{{ .Values.topics.replication }}", --min-in-sync, "{{ .Values.topics.minInSync }}"]
          env:
{{- range $name, $value := .Values.env }}
            - { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
          # The chains name the store, and the brokers' secrets are in the same Secret.
          envFrom:
            - secretRef: { name: {{ .Values.secret }} }
          securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: [ALL] } }
          resources:
            requests: { cpu: 100m, memory: 256Mi }
            limits: { memory: 256Mi }
          volumeMounts:
            - { name: data, mountPath: /data }
            - { name: tmp, mountPath: /tmp }
      volumes:
        - name: tmp
          emptyDir: {}
        - name: data
          emptyDir: {}
