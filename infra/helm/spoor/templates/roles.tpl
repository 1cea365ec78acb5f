{{- range $role, $is := .Values.roles }}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: spoor-{{ $role }}
  labels: { app.kubernetes.io/name: spoor, app.kubernetes.io/component: {{ $role }} }
spec:
  replicas: {{ $is.replicas }}
  strategy:
    type: {{ if $is.alone }}Recreate{{ else }}RollingUpdate{{ end }}
  selector:
    matchLabels: { app.kubernetes.io/name: spoor, app.kubernetes.io/component: {{ $role }} }
  template:
    metadata:
      labels: { app.kubernetes.io/name: spoor, app.kubernetes.io/component: {{ $role }} }
      annotations: { prometheus.io/scrape: "true", prometheus.io/port: "9402" }
    spec:
      # A stop finishes running work, engines last.
      terminationGracePeriodSeconds: 90
      # Kubernetes would set a variable for every Service, and ours would begin with SPOOR_.
      enableServiceLinks: false
      automountServiceAccountToken: false
      securityContext: { runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000, seccompProfile: { type: RuntimeDefault } }
      containers:
        - name: {{ $role }}
          image: {{ $.Values.image.repository }}:{{ $.Values.image.tag }}
          imagePullPolicy: {{ $.Values.image.pullPolicy }}
          args: [start, {{ $role }}]
          env:
{{- range $name, $value := $.Values.env }}
            - { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
            # Probes and Prometheus ask from outside the pod; the NetworkPolicy bounds who else may.
            - { name: SPOOR_OPERATIONS_HOST, value: 0.0.0.0 }
          envFrom:
            - secretRef: { name: {{ if $is.reads }}{{ $.Values.readerSecret }}{{ else }}{{ $.Values.secret }}{{ end }} }
          ports: [{ name: http, containerPort: 8402 }, { name: operations, containerPort: 9402 }]
          # Waits for its engines without limit before it is ready.
          startupProbe: { httpGet: { path: /livez, port: operations }, periodSeconds: 5, failureThreshold: 120 }
          livenessProbe: { httpGet: { path: /livez, port: operations }, periodSeconds: 10, timeoutSeconds: 5 }
          readinessProbe: { httpGet: { path: /readyz, port: operations }, periodSeconds: 10, timeoutSeconds: 5 }
          securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: [ALL] } }
          resources:
            requests: { cpu: 250m, memory: {{ $is.memory }} }
            limits: { memory: {{ $is.memory }} }
          volumeMounts:
            - { name: data, mountPath: /data }
            - { name: tmp, mountPath: /tmp }
      volumes:
        - name: tmp
          emptyDir: {}
        - name: data
{{- if $.Values.dataClaim }}
          persistentVolumeClaim: { claimName: {{ $.Values.dataClaim }} }
{{- else }}
          emptyDir: {}
{{- end }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: spoor-{{ $role }}
spec:
  maxUnavailable: {{ $is.budget }}
  selector:
    matchLabels: { app.kubernetes.io/name: spoor, app.kubernetes.io/component: {{ $role }} }
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: spoor-{{ $role }}
spec:
  podSelector:
    matchLabels: { app.kubernetes.io/name: spoor, app.kubernetes.io/component: {{ $role }} }
  policyTypes: [Ingress, Egress]
  ingress:
    - ports: [{ port: operations }]
      from:
        - namespaceSelector:
            matchLabels:
{{- range $label, $value := $.Values.operatorsNamespace }}
              {{ $label }}: {{ $value | quote }}
{{- end }}
{{- if $is.answers }}
    - ports: [{ port: http }]
{{- end }}
  egress:
    - ports: [{ port: 53, protocol: UDP }, { port: 53, protocol: TCP }]
    # Engines inside the cluster, and those outside.
    - to: [{ namespaceSelector: {} }]
{{- range $place, $block := $.Values.enginesOutside }}
    - to: [{ ipBlock: { cidr: {{ $block | quote }} } }]
{{- end }}
{{- if $is.reachesOut }}
    # Chain nodes, facilitator, prices; never the clouds' metadata addresses.
    - to:
        - ipBlock: { cidr: 0.0.0.0/0, except: [169.254.0.0/16] }
        - ipBlock: { cidr: "::/0", except: ["fe80::/10", "fd00:ec2::/32"] }
{{- end }}
{{- end }}
