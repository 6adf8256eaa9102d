// Opens pages in a browser and says what is wrong with them: look.cjs BROWSER ORIGIN FOLDER PATH… With LOOK_COOKIE its reader has a
// session.
// For each width, theme and path a line of JSON: the faults that axe-core finds, what the console said, addresses of other hosts that
// were asked for, how far the page is wider than the window, and the file of its picture in FOLDER (none where that is empty).
'use strict';

const fs = require('node:fs');
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const { chromium } = require('playwright-core');

const SIZES = [{ width: 360, height: 740 }, { width: 1280, height: 900 }];
const THEMES = ['light', 'dark'];
const [, , executablePath, origin, folder, ...paths] = process.argv;

// Opens what the page shows only once its reader has opened it: of the reference a tag and two operations of it.
async function open(page) {
    for (const summary of (await page.locator('summary').all()).slice(0, 3)) await summary.click();
    if ((await page.locator('#reference').count()) === 0) return;
    await page.locator('[data-tag="shifts"] .expand-operation').click();
    for (const path of ['GET/api/shifts', 'POST/api/shifts']) {
        await page.locator('.opblock-summary-control').filter({ hasText: new RegExp(`^${path}(?!/)`) }).click();
    }
    await page.waitForFunction(() => document.querySelectorAll('.opblock-body .responses-wrapper').length === 2);
}

async function look(context, path, name) {
    const page = await context.newPage();
    const said = [];
    const elsewhere = [];
    page.on('console', (message) => said.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => said.push(`error: ${error.message}`));
    page.on('requestfailed', (request) => said.push(`failed: ${request.url()}`));
    page.on('request', (request) => {
        if (!request.url().startsWith('data:') && new URL(request.url()).origin !== origin) elsewhere.push(request.url());
    });
    await page.goto(origin + path, { waitUntil: 'networkidle' });
    await open(page);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    await page.evaluate(axe);
    const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    const faults = found.violations.map(({ id, impact, nodes }) => ({
        id, impact, count: nodes.length, nodes: nodes.slice(0, 5).map((node) => [node.target.join(' '), node.html.slice(0, 200), node.failureSummary]),
    }));
    const picture = folder ? `${folder}/${name}.png` : '';
    if (picture) await page.screenshot({ path: picture, fullPage: true });
    await page.close();
    return { path, faults, said, elsewhere, wider, picture };
}

(async () => {
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
    for (const viewport of SIZES) {
        for (const colorScheme of THEMES) {
            const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' });
            const value = process.env.LOOK_COOKIE;
            if (value) await context.addCookies([{ name: 'svc_session', value, url: origin }]);
            for (const [place, path] of paths.entries()) {
                const name = `${value ? 'in-' : ''}${place}${path.replaceAll(/[^a-z]/g, '_').slice(0, 40)}-${viewport.width}-${colorScheme}`;
                console.log(JSON.stringify({ ...(await look(context, path, name)), width: viewport.width, theme: colorScheme }));
            }
            await context.close();
        }
    }
    await browser.close();
})();
