import { useEffect } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { AccessPage } from './access/access-page.tsx';
import { CasePage } from './case/case-page.tsx';
import { SharedPage } from './case/shared-page.tsx';
import { FlowPage } from './flow/flow-page.tsx';
import { OriginPage } from './origin/origin-page.tsx';
import { ProfilePage } from './profile/profile-page.tsx';
import { SearchBox } from './start/search-box.tsx';
import { StartPage } from './start/start-page.tsx';
import { ThiefPage } from './thief/thief-page.tsx';
import { TokenPage } from './token/token-page.tsx';
import { TracePage } from './trace/trace-page.tsx';
import { TransactionPage } from './transaction/transaction-page.tsx';

/** The frame of every view: the name, a search box, and the way to one's account. */
export const Pages = () => {
  const [path] = useLocation();
  // A reader who follows a link begins at the top of what it led to.
  useEffect(() => {
    if (path !== '') document.getElementById('content')?.focus({ preventScroll: true });
  }, [path]);
  return (
    <>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <header className="bar">
        <Link href="/" className="brand">
          Spoor
        </Link>
        {path !== '/' && <SearchBox />}
        <nav aria-label="Service">
          <Link href="/access">Access</Link>
          <a href="/docs">API</a>
        </nav>
      </header>
      <main id="content" tabIndex={-1}>
        <Switch>
          <Route path="/" component={StartPage} />
          <Route path="/flow" component={FlowPage} />
          <Route path="/origin" component={OriginPage} />
          <Route path="/case" component={CasePage} />
          <Route path="/shared" component={SharedPage} />
          <Route path="/candidates" component={TracePage} />
          <Route path="/wallet" component={ProfilePage} />
          <Route path="/token" component={TokenPage} />
          <Route path="/thief" component={ThiefPage} />
          <Route path="/transaction" component={TransactionPage} />
          <Route path="/access" component={AccessPage} />
          <Route>
            <h1>There is no such page</h1>
            <p>
              <Link href="/">Go to the start</Link>
            </p>
          </Route>
        </Switch>
      </main>
    </>
  );
};
