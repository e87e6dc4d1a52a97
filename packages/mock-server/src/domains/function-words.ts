/**
 * Languages, each its code, English name, and commonest words as they are compared: they tell a page's language, and
 * match no domain; Latin stands in where a text is to come. A word that English has too is listed there alone, as most pages with it are English.
 */
export const functionWords = `
en English: a about above across after again against ago all almost along already also although always am among an and another any anyone anything are around as at away back be became because been before behind being below between both but by came can cannot could did do does doing don done dont down during each either else enough ever every everybody everyone everything few for from further gave get gets getting give gives go goes going gone got had has have having he her here hers herself him himself his how however i if in instead into is isn isnt it its itself just keep keeps kept let lets ll made make makes making many may me might mine more most much must my myself near neither never no nobody none nor not nothing now of off often on once only onto or other others our ours ourselves out over own per perhaps please put puts quite rather re really s said same say says see sees shall she should since so some somebody someone something sometimes soon still such t take takes taken than that the their theirs them themselves then there these they thing things this those though through till to together too took toward towards under unless until up upon us use used uses using ve very via want wants was way we went were what whatever when where whether which while who whole whom whose why will with within without won would yes yet you your yours yourself yourselves
de German: aber alle als auch auf aus bei beim bis das dass dem den der doch durch ein eine einem einen einer eines euch fur haben hat hier ich ihr ihre ihrem ihren ihrer immer ist jede jeden jeder kann kein keine keinen keiner konnen mehr mit nach nicht noch nur oder ohne schon sich sie sind uber und uns unser unsere unserem unseren unserer vom von vor wenn wer werden wie wir wird wo zu zum zur zwischen
es Spanish: de del el en la un aqui asi cada como con cuando desde donde esta estamos este esto estos hace hasta las los mas mi mis muy nada nos nosotros nuestra nuestras nuestro nuestros para pero por porque que quien ser sobre somos su sus tambien tiene todo todos tu tus una unos usted y
fr French: de des du en la le les un aux avec avez avons cette ces chez comme dans depuis elle est et etes ils leur leurs mais mes meme ne nos notre nous ont ou par pas pour quand que quel quelle qui sans sommes sont sous sur tous toute tout tres une vos votre vous
it Italian: da di il la le un alla alle anche che ci con cosa dal dalla degli dei del della delle gli ha hai ho il nei nel nella noi non nostra nostri nostro ogni piu qui sei senza si siamo sono sua sul sulla suo tutti tutto tua tuo una vostro
pt Portuguese: de em um ao aos ate com como da das dos ela ele entre mais mas muito na nao nas nos nossa nossas nosso nossos para pela pelo por quando que quem sem ser seu seus sobre sua suas tambem tem todos tudo uma voce voces
nl Dutch: de aan als bij dat deze die dit een elke en het hier hun ik je jouw maar meer met naar niet nog om ons onze ook te tot uit uw voor waar wat wij wordt zich zijn zonder
da Danish: af blev bliver deres det dig dine efter eller fra gør hende hver hvad hvis hvor hvordan ikke jeg jer jeres mellem meget mig noget nogle nar og ogsa os pa som til uden være vores
nb Norwegian: av ble blir deg dere deres det dine eller etter fra gjør hver hva hvis hvor hvordan ikke jeg mellom mye meg noe noen nar og ogsa oss pa som til uten være
sv Swedish: att av blir deras det dig ditt efter eller finns fran hur inte jag mellan mig mycket nagot nagra nar och ocksa oss pa som utan vad varje
fi Finnish: ja joka jotka kaikki kanssa kun meidan meille mutta myos niin nyt olemme olet ovat seka sinun tai teidan teille vain voit
pl Polish: bez czy dla jak jest ktory nas nasz nasza nasze nie od oraz po przez przy sie tak twoj twoja tylko
ro Romanian: din este noastra noastre pentru sau sunt
tr Turkish: ama bizim cok daha gibi icin ile kadar olarak sizin tum
la Latin: adipisci adipiscing aliqua aliquam aliquip amet aute cillum commodo consectetur consequat consequuntur cupidatat deserunt dolorem doloremque eiusmod excepteur exercitation fugiat fugit incididunt ipsam ipsum laboris laborum laudantium minim mollit nemo neque nesciunt nisi nostrud numquam occaecat odit officia pariatur perspiciatis porro proident quae quaerat quia quisquam ratione reprehenderit sequi tempor ullamco velit veniam veritatis voluptas voluptate voluptatem
id Indonesian: anda atau dari dengan ini juga kami tidak untuk yang
`
  .trim()
  .split("\n")
  .map((line) => line.split(/:? /));

/** English words that inflection would make one with a word of another meaning. */
export const partedForms: ReadonlySet<string> = new Set(
  "boxing bedding legging leggings fitting fittings teething waxing flooring clothing lasted lining ending ruling touring screening screenings earring earrings branding detailing coding talks claims sleeps moving driving banking accounting servicing drawing drawings used news lens series species gas atlas canvas christmas always maths goods means customs glasses savings shares books trainers spirits filling building training trainings wedding weddings meeting housing booking marketing boarding evening morning united during dressing casing shipping dating listing coating skirting heading bearing sacred hundred interesting something anything everything nothing offering landing setting rating posting tired learning reading planting dwelling outing pressing blessed fasting ironing painting viewing tasting filing dining reporting stocking stockings suited stables sterling pudding darling ceiling".split(
    " ",
  ),
);
