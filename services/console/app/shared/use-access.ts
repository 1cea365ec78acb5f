import { useQuery } from '@tanstack/react-query';
import { openClient } from '../client.ts';

/** How calls are paid for here; null until the service has said it. */
export const useAccess = (): string | null => useStatus().data?.access ?? null;

export const useStatus = () =>
  useQuery({ queryKey: ['status'], queryFn: () => openClient().status(), staleTime: 10_000 });
