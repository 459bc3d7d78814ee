toma , pues , ahora tus armas , tu aljaba y tu arco , y sal al campo , y cógeme caza ;
tráeme caza , y hazme un guisado , para que coma , y te bendiga delante de jehová antes que yo muera .
ve ahora al ganado , y tráeme de allí dos buenos cabritos de las cabras , y haré de ellos viandas para tu padre , como él gusta ;
y jacob dijo á rebeca su madre : he aquí , esaú mi hermano es hombre velloso , y yo lampiño :
y dijo : ¿ eres tú mi hijo esaú ? y él respondió : yo soy .
y díjole isaac su padre : acércate ahora , y bésame , hijo mío .
y él dijo : vino tu hermano con engaño , y tomó tu bendición .
entonces isaac su padre habló y díjole : he aquí será tu habitación en grosuras de la tierra , y del rocío de los cielos de arriba ;
miraba también jacob el semblante de labán , y veía que no era para con él como ayer y antes de ayer .
y vuestro padre me ha engañado , y me ha mudado el salario diez veces : pero dios no le ha permitido que me hiciese mal .
y respondió rachêl y lea , y dijéronle : ¿ tenemos ya parte ni heredad en la casa de nuestro padre ?
huyó , pues , con todo lo que tenía ; y levantóse , y pasó el río , y puso su rostro al monte de galaad .
y ya que te ibas , porque tenías deseo de la casa de tu padre , ¿ por qué me hurtaste mis dioses ?
y jacob respondió , y dijo á labán : porque tuve miedo ; pues dije , que quizá me quitarías por fuerza tus hijas .
ven pues ahora , y hagamos alianza yo y tú ; y sea en testimonio entre mí y entre ti .
y llamólo labán jegar sahadutha : y lo llamó jacob galaad .
y estas son las generaciones de esaú , el cual es edom .
y á basemath , hija de ismael , hermana de navaioth .
porque la hacienda de ellos era grande , y no podían habitar juntos , ni la tierra de su peregrinación los podía sostener á causa de sus ganados .
y los hijos de eliphaz fueron temán , omar , zepho , gatam , y cenaz .
y estos son los hijos de seir horeo , moradores de aquella tierra : lotán , sobal , zibeón , ana ,
disón , ezer , y disán : estos son los duques de los horeos , hijos de seir en la tierra de edom .
y estos fueron los hijos de disón : hemdán , eshbán , ithram , y cherán .
y estos fueron los hijos de ezer : bilhán , zaaván , y acán .
y estos fueron los duques de los horeos : el duque lotán , el duque sobal , el duque zibeón , el duque ana ,
y los reyes que reinaron en la tierra de edom , antes que reinase rey sobre los hijos de israel , fueron estos :
y murió samla , y reinó en su lugar saúl , de rehoboth del río .
y soñó josé un sueño , y contólo á sus hermanos ; y ellos vinieron á aborrecerle más todavía .
y sus hermanos le tenían envidia , mas su padre paraba la consideración en ello .
y hallólo un hombre , andando él perdido por el campo , y preguntóle aquel hombre , diciendo : ¿ qué buscas ?
y dijeron el uno al otro : he aquí viene el soñador ;
entonces judá dijo á sus hermanos : ¿ qué provecho el que matemos á nuestro hermano y encubramos su muerte ?
entonces tomaron ellos la ropa de josé , y degollaron un cabrito de las cabras , y tiñeron la ropa con la sangre ;
entonces jacob rasgó sus vestidos , y puso saco sobre sus lomos , y enlutóse por su hijo muchos días .
entonces moisés dijo : iré yo ahora , y veré esta grande visión , por qué causa la zarza no se quema .
ven por tanto ahora , y enviarte he á faraón , para que saques á mi pueblo , los hijos de israel , de egipto .
y yo daré á este pueblo gracia en los ojos de los egipcios , para que cuando os partiereis , no salgáis vacíos :
y asimismo yo he oído el gemido de los hijos de israel , á quienes hacen servir los egipcios , y heme acordado de mi pacto .
y los hijos de gersón : libni , y shimi , por sus familias .
y los hijos de merari : mahali , y musi : estas son las familias de leví por sus linajes .
mas moisés sólo se llegará á jehová ; y ellos no se lleguen cerca , ni suba con él el pueblo .
y subieron moisés y aarón , nadab y abiú , y setenta de los ancianos de israel ;
y entró moisés en medio de la nube , y subió al monte : y estuvo moisés en el monte cuarenta días y cuarenta noches .
harás asimismo un altar de sahumerio de perfume : de madera de sittim lo harás .
y quemará sobre él aarón sahumerio de aroma cada mañana : cuando aderezare las lámparas lo quemará .
y cuando aarón encenderá las lámparas al anochecer , quemará el sahumerio : rito perpetuo delante de jehová por vuestras edades .
cualquiera que pasare por la cuenta , de veinte años arriba , dará la ofrenda á jehová .
y de ella se lavarán aarón y sus hijos sus manos y sus pies :
y la mesa , y todos sus vasos , y el candelero , y todos sus vasos , y el altar del perfume ,
y el altar del holocausto , todos sus vasos , y la fuente y su basa .
y hablarás á los hijos de israel , diciendo : este será mi aceite de la santa unción por vuestras edades .
y harás de ello una confección aromática de obra de perfumador , bien mezclada , pura y santa :
y el altar del holocausto y todos sus vasos , y la fuente y su basa ;
y el aceite de la unción , y el perfume aromático para el santuario : harán conforme á todo lo que te he mandado .
asimismo esta es la ley de la expiación de la culpa : es cosa muy santa .
y de ella ofrecerá todo su sebo , la cola , y el sebo que cubre los intestinos .
y lo que quedare para el tercer día de la carne del sacrificio , será quemado en el fuego .
mas si hubiere ido creciendo la postilla en la piel , después que fué mostrado al sacerdote para ser limpio , será visto otra vez del sacerdote :
toma á aarón y á eleazar su hijo , y hazlos subir al monte de hor ;
y el de jacob se enseñoreará , y destruirá de la ciudad lo que quedare .
y se encaminaron , y subieron al monte , y llegaron hasta la arroyada de escol , y reconocieron la tierra .
todas éstas eran ciudades fortalecidas con alto muro , con puertas y barras ; sin otras muy muchas ciudades sin muro .
para que entres en el pacto de jehová tu dios , y en su juramento , que jehová tu dios acuerda hoy contigo :
encendióse por tanto , el furor de jehová contra esta tierra , para traer sobre ella todas las maldiciones escritas en este libro ;
mas á los de gessuri y maachâti no echaron los hijos de israel ; antes gessur y maachât habitaron entre los israelitas hasta hoy .
dió , pues , moisés á la tribu de los hijos de rubén conforme á sus familias :
y chîriataim , y sibma , y zerethshahar en el monte del valle ;
y beth-peor , y asdoth-pisga , y beth-jesimoth ;
y desde hesbón hasta ramathmispe , y betonim ; y desde mahanaim hasta el término de debir :
y vosotros habéis visto todo lo que jehová vuestro dios ha hecho con todas estas gentes en vuestra presencia ; porque jehová vuestro dios ha peleado por vosotros .
por tanto , cuidad mucho por vuestras almas , que améis á jehová vuestro dios .
entonces el pariente dijo á booz : tómalo tú . y descalzó su zapato .
y estas son las generaciones de phares : phares engendró á hesrón ;
y obed engendró á isaí , é isaí engendró á david .
y achîs le dió aquel día á siclag . de aquí fué siclag de los reyes de judá hasta hoy .
y entrando al rey , habla con él de esta manera . y puso joab las palabras en su boca .
y estuvo absalom por espacio de dos años en jerusalem , y no vió la cara del rey .
levantóse por tanto joab , y vino á absalom á su casa , y díjole : ¿ por qué han puesto fuego tus siervos á mis tierras ?
antes anduvo en los caminos de los reyes de israel , y además hizo imágenes de fundición á los baales .
asimismo sacrificó y quemó perfumes en los altos , y en los collados , y debajo de todo árbol espeso .
porque á más de esto , los idumeos habían venido y herido á los de judá , y habían llevado cautivos .
¿ he de mentir yo contra mi razón ? mi saeta es gravosa sin haber yo prevaricado .
no hay tinieblas ni sombra de muerte donde se encubran los que obran maldad .
por tanto él hará notorias las obras de ellos , cuando los trastornará en la noche , y serán quebrantados .
porque á su pecado añadió impiedad : bate las manos entre nosotros , y contra dios multiplica sus palabras .
guarda mi alma , y líbrame : no sea yo avergonzado , porque en ti confié .
bendito jehová , que oyó la voz de mis ruegos .
agravios hay en medio de ella , y el fraude y engaño no se apartan de sus plazas .
el que rescata del hoyo tu vida , el que te corona de favores y misericordias ;
como el padre se compadece de los hijos , se compadece jehová de los que le temen .
anduvieron perdidos por el desierto , por la soledad sin camino , no hallando ciudad de población .
mas clamaron á jehová en su angustia , y salvólos de sus aflicciones .
orejas tienen , mas no oirán ; tienen narices , mas no olerán ;
manos tienen , mas no palparán ; tienen pies , mas no andarán ; no hablarán con su garganta .
al que sacó á israel de en medio de ellos , porque para siempre es su misericordia ;
al que dividió el mar bermejo en partes , porque para siempre es su misericordia ;
aun allí me guiará tu mano , y me asirá tu diestra .
así que ¡ cuán preciosos me son , oh dios , tus pensamientos ! ¡ cuán multiplicadas son sus cuentas !
las cosas primeras he aquí vinieron , y yo anuncio nuevas cosas : antes que salgan á luz , yo os las haré notorias .
tornaré en soledad montes y collados , haré secar toda su hierba ; los ríos tornaré en islas , y secaré los estanques .
y tus valientes , oh temán , serán quebrantados ; porque todo hombre será talado del monte de esaú por el estrago .
mas en el monte de sión habrá salvamento , y será santidad , y la casa de jacob , poseerá sus posesiones .
jesús le dijo : escrito está además : no tentarás al señor tu dios .
el diablo entonces le dejó : y he aquí los ángeles llegaron y le servían .
el pueblo asentado en tinieblas , vió gran luz ; y á los sentados en región y sombra de muerte , luz les esclareció .
ellos entonces , dejando luego las redes , le siguieron .
y le siguieron muchas gentes de galilea y de decápolis y de jerusalem y de judea y de la otra parte del jordán .
danos hoy nuestro pan cotidiano .
mas si no perdonareis á los hombres sus ofensas , tampoco vuestro padre os perdonará vuestras ofensas .
mas tú , cuando ayunas , unge tu cabeza y lava tu rostro ;
mas haceos tesoros en el cielo , donde ni polilla ni orín corrompe , y donde ladrones no minan ni hurtan :
mas ¿ quién de vosotros podrá , congojándose , añadir á su estatura un codo ?
porque los gentiles buscan todas estas cosas : que vuestro padre celestial sabe que de todas estas cosas habéis menester .
mas buscad primeramente el reino de dios y su justicia , y todas estas cosas os serán añadidas .
y sus discípulos le respondieron : ¿ de dónde podrá alguien hartar á estos de pan aquí en el desierto ?
tenían también unos pocos pececillos : y los bendijo , y mandó que también los pusiesen delante .
y se habían olvidado de tomar pan , y no tenían sino un pan consigo en el barco .
y vino á bethsaida ; y le traen un ciego , y le ruegan que le tocase .
luego le puso otra vez las manos sobre sus ojos , y le hizo que mirase ; y fué restablecido , y vió de lejos y claramente á todos .
y envióle á su casa , diciendo : no entres en la aldea , ni lo digas á nadie en la aldea .
y claramente decía esta palabra . entonces pedro le tomó , y le comenzó á reprender .
¿ o qué recompensa dará el hombre por su alma ?
y como miraron , ven la piedra revuelta ; que era muy grande .
y entradas en el sepulcro , vieron un mancebo sentado al lado derecho , cubierto de una larga ropa blanca ; y se espantaron .
mas como jesús resucitó por la mañana , el primer día de la semana , apareció primeramente á maría magdalena , de la cual había echado siete demonios .
yendo ella , lo hizo saber á los que habían estado con él , que estaban tristes y llorando .
el que creyere y fuere bautizado , será salvo ; mas el que no creyere , será condenado .
y estas señales seguirán á los que creyeren : en mi nombre echarán fuera demonios ; hablarán nuevas lenguas ;
y ellos , saliendo , predicaron en todas partes , obrando con ellos el señor , y confirmando la palabra con las señales que se seguían . amén .
me ha parecido también á mí , después de haber entendido todas las cosas desde el principio con diligencia , escribírtelas por orden , oh muy buen teófilo ,
y aconteció que ejerciendo zacarías el sacerdocio delante de dios por el orden de su vez ,
conforme á la costumbre del sacerdocio , salió en suerte á poner el incienso , entrando en el templo del señor .
y fué , que cumplidos los días de su oficio , se vino á su casa .
porque el señor me ha hecho así en los días en que miró para quitar mi afrenta entre los hombres .
entonces el ángel le dijo : maría , no temas , porque has hallado gracia cerca de dios .
este será grande , y será llamado hijo del altísimo : y le dará el señor dios el trono de david su padre :
y entró en casa de zacarías , y saludó á elisabet .
y aconteció , que como oyó elisabet la salutación de maría , la criatura saltó en su vientre ; y elisabet fué llena del espíritu santo ,
y bienaventurada la que creyó , porque se cumplirán las cosas que le fueron dichas de parte del señor .
entonces maría dijo : engrandece mi alma al señor ;
recibió á israel su siervo , acordándose de la misericordia ,
como habló á nuestros padres á abraham y á su simiente para siempre .
y le dijeron : ¿ por qué ? nadie hay en tu parentela que se llame de este nombre .
y hablaron por señas á su padre , cómo le quería llamar .
y luego fué abierta su boca y su lengua , y habló bendiciendo á dios .
y zacarías su padre fué lleno de espíritu santo , y profetizó , diciendo :
salvación de nuestros enemigos , y de mano de todos los que nos aborrecieron ;
en santidad y en justicia delante de él , todos los días nuestros .
y el niño crecía , y se fortalecía en espíritu : y estuvo en los desiertos hasta el día que se mostró á israel .
y como cesó de hablar , dijo á simón : tira á alta mar , y echad vuestras redes para pescar .
y como llegaron á tierra los barcos , dejándolo todo , le siguieron .
empero tanto más se extendía su fama : y se juntaban muchas gentes á oir y ser sanadas de sus enfermedades .
entonces los escribas y los fariseos comenzaron á pensar , diciendo : ¿ quién es éste que habla blasfemias ? ¿ quién puede perdonar pecados sino sólo dios ?
jesús entonces , conociendo los pensamientos de ellos , respondiendo les dijo : ¿ qué pensáis en vuestros corazones ?
y tomó espanto á todos , y glorificaban á dios ; y fueron llenos de temor , diciendo : hemos visto maravillas hoy .
y después de estas cosas salió , y vió á un publicano llamado leví , sentado al banco de los públicos tributos , y le dijo : sígueme .
e hizo leví gran banquete en su casa ; y había mucha compañía de publicanos y de otros , los cuales estaban á la mesa con ellos .
y él les dijo : ¿ podéis hacer que los que están de bodas ayunen , entre tanto que el esposo está con ellos ?
y aconteció , que estando ellas espantadas de esto , he aquí se pararon junto á ellas dos varones con vestiduras resplandecientes ;
y como tuviesen ellas temor , y bajasen el rostro á tierra , les dijeron : ¿ por qué buscáis entre los muertos al que vive ?
diciendo : es menester que el hijo del hombre sea entregado en manos de hombres pecadores , y que sea crucificado , y resucite al tercer día .
entonces ellas se acordaron de sus palabras ,
y eran maría magdalena , y juana , y maría madre de jacobo , y las demás con ellas , las que dijeron estas cosas á los apóstoles .
y díjoles : ¿ qué pláticas son estas que tratáis entre vosotros andando , y estáis tristes ?
y no hallando su cuerpo , vinieron diciendo que también habían visto visión de ángeles , los cuales dijeron que él vive .
y fueron algunos de los nuestros al sepulcro , y hallaron así como las mujeres habían dicho ; mas á él no le vieron .
y comenzando desde moisés , y de todos los profetas , declarábales en todas las escrituras lo que de él decían .
y llegaron á la aldea á donde iban : y él hizo como que iba más lejos .
entonces fueron abiertos los ojos de ellos , y le conocieron ; mas él se desapareció de los ojos de ellos .
que decían : ha resucitado el señor verdaderamente , y ha aparecido á simón .
entonces ellos espantados y asombrados , pensaban que veían espíritu .
mas él les dice : ¿ por qué estáis turbados , y suben pensamientos á vuestros corazones ?
y que se predicase en su nombre el arrepentimiento y la remisión de pecados en todas las naciones , comenzando de jerusalem .
y aconteció que bendiciéndolos , se fué de ellos ; y era llevado arriba al cielo .
después de estas cosas , era un día de fiesta de los judíos , y subió jesús á jerusalem .
y estaba allí un hombre que había treinta y ocho años que estaba enfermo .
y luego aquel hombre fué sano , y tomó su lecho , é íbase . y era sábado aquel día .
respondióles : el que me sanó , él mismo me dijo : toma tu lecho y anda .
y jesús les respondió : mi padre hasta ahora obra , y yo obro .
porque como el padre levanta los muertos , y les da vida , así también el hijo á los que quiere da vida .
vosotros enviasteis á juan , y él dió testimonio á la verdad .
empero yo no tomo el testimonio de hombre ; mas digo esto , para que vosotros seáis salvos .
escudriñad las escrituras , porque á vosotros os parece que en ellas tenéis la vida eterna ; y ellas son las que dan testimonio de mí .
y no queréis venir á mí , para que tengáis vida .
y bajándose á mirar , vió los lienzos echados ; mas no entró .
llegó luego simón pedro siguiéndole , y entró en el sepulcro , y vió los lienzos echados ,
porque aun no sabían la escritura , que era necesario que él resucitase de los muertos .
empero maría estaba fuera llorando junto al sepulcro : y estando llorando , bajóse á mirar el sepulcro ;
y como hubo dicho esto , sopló , y díjoles : tomad el espíritu santo :
a los que remitiereis los pecados , les son remitidos : á quienes los retuviereis , serán retenidos .
y también hizo jesús muchas otras señales en presencia de sus discípulos , que no están escritas en este libro .
estas empero son escritas , para que creáis que jesús es el cristo , el hijo de dios ; y para que creyendo , tengáis vida en su nombre .
porque moisés describe la justicia que es por la ley : que el hombre que hiciere estas cosas , vivirá por ellas .
mas no todos obedecen al evangelio ; pues isaías dice : señor , ¿ quién ha creído á nuestro anuncio ?
mas ahora cristo ha resucitado de los muertos ; primicias de los que durmieron es hecho .
luego el fin ; cuando entregará el reino á dios y al padre , cuando habrá quitado todo imperio , y toda potencia y potestad .
después , pasados catorce años , fuí otra vez á jerusalem juntamente con bernabé , tomando también conmigo á tito .
mas ni aun tito , que estaba conmigo , siendo griego , fué compelido á circuncidarse .
porque yo ya estoy para ser ofrecido , y el tiempo de mi partida está cercano .
sabiendo que la prueba de vuestra fe obra paciencia .
