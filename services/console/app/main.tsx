import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import '@xyflow/react/dist/base.css';
import './look.css';
import { Pages } from './pages.tsx';

// Calls cost money: none is repeated by itself, nor because a window got the focus.
const queries = new QueryClient({
  defaultOptions: { queries: { retry: false, refetchOnWindowFocus: false, refetchOnReconnect: false } },
});

const root = document.getElementById('page');
if (root === null) throw new Error('the page has no place for the console');
createRoot(root).render(
  <QueryClientProvider client={queries}>
    <Pages />
  </QueryClientProvider>,
);
