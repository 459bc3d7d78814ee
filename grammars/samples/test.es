en el principio crió dios los cielos y la tierra .
y vió dios que la luz era buena : y apartó dios la luz de las tinieblas .
y dijo dios : haya expansión en medio de las aguas , y separe las aguas de las aguas .
y llamó dios á la expansión cielos : y fué la tarde y la mañana el día segundo .
y fué la tarde y la mañana el día tercero .
y púsolas dios en la expansión de los cielos , para alumbrar sobre la tierra ,
y dios los bendijo diciendo : fructificad y multiplicad , y henchid las aguas en los mares , y las aves se multipliquen en la tierra .
y fué la tarde y la mañana el día quinto .
y aconteció andando el tiempo , que caín trajo del fruto de la tierra una ofrenda á jehová .
y abel trajo también de los primogénitos de sus ovejas , y de su grosura . y miró jehová con agrado á abel y á su ofrenda ;
y dijo caín á jehová : grande es mi iniquidad para ser perdonada .
y á henoch nació irad , é irad engendró á mehujael , y mehujael engendró á methusael , y methusael engendró á lamech .
y el nombre de su hermano fué jubal , el cual fué padre de todos los que manejan arpa y órgano .
y zilla también parió á tubal-caín , acicalador de toda obra de metal y de hierro : y la hermana de tubal-caín fué naama .
el que derramare sangre del hombre , por el hombre su sangre será derramada ; porque á imagen de dios es hecho el hombre .
y habló dios á noé y á sus hijos con él , diciendo :
mi arco pondré en las nubes , el cual será por señal de convenio entre mí y la tierra .
y será que cuando haré venir nubes sobre la tierra , se dejará ver entonces mi arco en las nubes .
y comenzó noé á labrar la tierra , y plantó una viña :
y châm , padre de canaán , vió la desnudez de su padre , y díjolo á sus dos hermanos á la parte de afuera .
engrandezca dios á japhet , y habite en las tiendas de sem , y séale canaán siervo .
y vivió noé después del diluvio trescientos y cincuenta años .
sino que irás á mi tierra y á mi parentela , y tomarás mujer para mi hijo isaac .
entonces el criado puso su mano debajo del muslo de abraham su señor , y juróle sobre este negocio .
entonces el criado corrió hacia ella , y dijo : ruégote que me des á beber un poco de agua de tu cántaro .
y cuando acabó de darle á beber , dijo : también para tus camellos sacaré agua , hasta que acaben de beber .
y el hombre estaba maravillado de ella , callando , para saber si jehová había prosperado ó no su viaje .
y dijo : ¿ de quién eres hija ? ruégote me digas , ¿ hay lugar en casa de tu padre donde posemos ?
y añadió : también hay en nuestra casa paja y mucho forraje , y lugar para posar .
el hombre entonces se inclinó , y adoró á jehová .
y rebeca tenía un hermano que se llamaba labán , el cual corrió afuera al hombre , á la fuente ;
y sara , mujer de mi amo , parió en su vejez un hijo á mi señor , quien le ha dado todo cuanto tiene .
he ahí rebeca delante de ti ; tómala y vete , y sea mujer del hijo de tu señor , como lo ha dicho jehová .
y fué , que como el criado de abraham oyó sus palabras , inclinóse á tierra á jehová .
y llamaron á rebeca , y dijéronle : ¿ irás tú con este varón ? y ella respondió : sí , iré .
y venía isaac del pozo del viviente que me ve ; porque él habitaba en la tierra del mediodía ;
y dijo faraón á jacob : ¿ cuántos son los días de los años de tu vida ?
y jacob bendijo á faraón , y salióse de delante de faraón .
y josé dijo : dad vuestros ganados , y yo os daré por vuestros ganados , si se ha acabado el dinero .
y ellos respondieron : la vida nos has dado : hallemos gracia en ojos de mi señor , y seamos siervos de faraón .
y vino amalec , y peleó con israel en rephidim .
y josué deshizo á amalec y á su pueblo á filo de espada .
y estos son los derechos que les propondrás .
mas si la hubiere desposado con su hijo , hará con ella según la costumbre de las hijas .
y si ninguna de estas tres cosas hiciere , ella saldrá de gracia sin dinero .
el que hiriere á alguno , haciéndole así morir , él morirá .
además , si alguno se ensoberbeciere contra su prójimo , y lo matare con alevosía , de mi altar lo quitarás para que muera .
y el que hiriere á su padre ó á su madre , morirá .
y si alguno hiriere á su siervo ó á su sierva con palo , y muriere bajo de su mano , será castigado :
mas si durare por un día ó dos , no será castigado , porque su dinero es .
quemadura por quemadura , herida por herida , golpe por golpe .
y si sacare el diente de su siervo , ó el diente de su sierva , por su diente le dejará ir libre .
si el ladrón fuere hallado forzando una casa , y fuere herido y muriere , el que le hirió no será culpado de su muerte .
si fuere hallado con el hurto en la mano , sea buey ó asno ú oveja vivos , pagará el duplo .
y si le hubiere sido arrebatado por fiera , traerle ha testimonio , y no pagará lo arrebatado .
si su padre no quisiere dársela , él le pesará plata conforme al dote de las vírgenes .
a ninguna viuda ni huérfano afligiréis .
si tomares en prenda el vestido de tu prójimo , á puestas del sol se lo volverás :
así hombres como mujeres echaréis , fuera del campo los echaréis ; porque no contaminen el campo de aquellos entre los cuales yo habito .
y lo santificado de cualquiera será suyo : asimismo lo que cualquiera diere al sacerdote , suyo será .
y envié mensajeros desde el desierto de cademoth á sehón rey de hesbón , con palabras de paz , diciendo :
y dió jehová señales y milagros grandes y nocivos en egipto , sobre faraón y sobre toda su casa , delante de nuestros ojos ;
en aquel tiempo jehová dijo á josué : hazte cuchillos afilados , y vuelve á circuncidar la segunda vez á los hijos de israel .
y josué se hizo cuchillos afilados , y circuncidó á los hijos de israel en el monte de los prepucios .
y los filisteos , tomada el arca de dios , trajéronla desde eben-ezer á asdod .
y tomaron los filisteos el arca de dios , y metiéronla en la casa de dagón , y pusiéronla junto á dagón .
y llama á isaí al sacrificio , y yo te enseñaré lo que has de hacer ; y ungirme has al que yo te dijere .
entonces llamó isaí á abinadab , é hízole pasar delante de samuel , el cual dijo : ni á éste ha elegido jehová .
e hizo pasar isaí sus siete hijos delante de samuel ; mas samuel dijo á isaí : jehová no ha elegido á éstos .
y los criados de saúl le dijeron : he aquí ahora , que el espíritu malo de parte de dios te atormenta .
y tomó isaí un asno cargado de pan , y una vasija de vino y un cabrito , y enviólo á saúl por mano de david su hijo .
y saúl envió á decir á isaí : yo te ruego que esté david conmigo ; porque ha hallado gracia en mis ojos .
y dijo achîs á sus siervos : he aquí estáis viendo un hombre demente ; ¿ por qué lo habéis traído á mí ?
¿ fáltanme á mí locos , para que hayáis traído éste que hiciese del loco delante de mí ? ¿ había de venir éste á mi casa ?
y dijo david : ¿ ha quedado alguno de la casa de saúl , á quien haga yo misericordia por amor de jonathán ?
y moraba mephi-boseth en jerusalem , porque comía siempre á la mesa del rey : y era cojo de ambos pies .
quizá mirará jehová á mi aflicción , y me dará jehová bien por sus maldiciones de hoy .
y el rey y todo el pueblo que con él estaba , llegaron fatigados , y descansaron allí .
y absalom dijo á husai : ¿ este es tu agradecimiento para con tu amigo ? ¿ por qué no fuiste con tu amigo ?
entonces pusieron una tienda á absalom sobre el terrado , y entró absalom á las concubinas de su padre , en ojos de todo israel .
luego , pues , que fué apartado del camino , pasaron todos los que seguían á joab , para ir tras seba hijo de bichri .
así quedó joab sobre todo el ejército de israel ; y benaía hijo de joiada sobre los ceretheos y peletheos ;
hizo también casa de altos , é hizo sacerdotes de la clase del pueblo , que no eran de los hijos de leví .
y joram hijo de achâb comenzó á reinar en samaria sobre israel el año dieciocho de josaphat rey de judá ; y reinó doce años .
y salió entonces de samaria el rey joram , é inspeccionó á todo israel .
y dijo : ¿ por qué camino iremos ? y él respondió : por el camino del desierto de idumea .
y esto es cosa ligera en los ojos de jehová ; dará también á los moabitas en vuestras manos .
y como se levantaron por la mañana , y lució el sol sobre las aguas , vieron los de moab desde lejos las aguas rojas como sangre ;
tomaron pues dos caballos de un carro , y envió el rey tras el campo de los siros , diciendo : id , y ved .
y levantóse de allí , y vino á samaria ; y llegando él en el camino á una casa de esquileo de pastores ,
y sacaron las estatuas de la casa de baal , y quemáronlas .
así extinguió jehú á baal de israel .
y durmió jehú con sus padres , y sepultáronlo en samaria : y reinó en su lugar joachâz su hijo .
el tiempo que reinó jehú sobre israel en samaria , fué veintiocho años .
y ahío , sasac , jeremoth ;
hananía , belam , anathothías ;
y ner engendró á cis , y cis engendró á saúl , y saúl engendró á jonathán , malchî-súa , abinadab , y esbaal .
estos eran jefes de familias de los levitas por sus linajes , jefes que habitaban en jerusalem .
e hijo de jonathán fué merib-baal , y merib-baal engendró á michâ .
y los hijos de michâ : phitón , melech , tharea , y ahaz .
porque grande es jehová , y digno de ser grandemente loado , y de ser temido sobre todos los dioses .
atribuid á jehová , oh familias de los pueblos , atribuid á jehová gloria y potencia .
después de estas cosas aconteció que david hirió á los filisteos , y los humilló ; y tomó á gath y sus villas de mano de los filisteos .
a más de esto abisai hijo de sarvia hirió en el valle de la sal dieciocho mil idumeos .
porque david dijo : jehová dios de israel ha dado reposo á su pueblo israel , y el habitar en jerusalem para siempre .
y para que asistiesen cada mañana todos los días á confesar y alabar á jehová , y asimismo á la tarde ;
los hijos de musi : maheli , eder y jerimoth . estos fueron los hijos de los levitas conforme á las casas de sus familias .
y respondió amán al rey : al varón cuya honra desea el rey ,
¿ por qué os levantáis , oh montes altos ? este monte amó dios para su asiento ; ciertamente jehová habitará en él para siempre .
bendecid á dios en congregaciones : al señor , vosotros de la estirpe de israel .
también el assur se ha juntado con ellos : son por brazo á los hijos de lot . ( selah . )
cantad alegres á jehová , toda la tierra ; levantad la voz , y aplaudid , y salmead .
es el que guarda las veredas del juicio , y preserva el camino de sus santos .
entonces dije yo : mejor es la sabiduría que la fortaleza ; aunque la ciencia del pobre sea menospreciada , y no sean escuchadas sus palabras .
que deshago las señales de los adivinos , y enloquezco á los agoreros ; que hago tornar atrás los sabios , y desvanezco su sabiduría ;
y cuando te hablaren los hijos de tu pueblo , diciendo : ¿ no nos enseñarás qué te propones con eso ?
y si aconteciese hallarla , de cierto os digo , que más se goza de aquélla , que de las noventa y nueve que no se descarriaron .
así , no es la voluntad de vuestro padre que está en los cielos , que se pierda uno de estos pequeños .
jesús le dice : no te digo hasta siete , mas aun hasta setenta veces siete .
por lo cual , el reino de los cielos es semejante á un hombre rey , que quiso hacer cuentas con sus siervos .
el señor , movido á misericordia de aquel siervo , le soltó y le perdonó la deuda .
mas él no quiso ; sino fué , y le echó en la cárcel hasta que pagase la deuda .
¿ no te convenía también á ti tener misericordia de tu consiervo , como también yo tuve misericordia de ti ?
entonces su señor , enojado , le entregó á los verdugos , hasta que pagase todo lo que le debía .
y salido jesús , íbase del templo ; y se llegaron sus discípulos , para mostrarle los edificios del templo .
y respondiendo jesús , les dijo : mirad que nadie os engañe .
porque se levantará nación contra nación , y reino contra reino ; y habrá pestilencias , y hambres , y terremotos por los lugares .
y todas estas cosas , principio de dolores .
y el que sobre el terrado , no descienda á tomar algo de su casa ;
y el que en el campo , no vuelva atrás á tomar sus vestidos .
entonces , si alguno os dijere : he aquí está el cristo , ó allí , no creáis .
he aquí os lo he dicho antes .
porque donde quiera que estuviere el cuerpo muerto , allí se juntarán las águilas .
de la higuera aprended la parábola : cuando ya su rama se enternece , y las hojas brotan , sabéis que el verano está cerca .
empero del día y hora nadie sabe , ni aun los ángeles de los cielos , sino mi padre solo .
mas como los días de noé , así será la venida del hijo del hombre .
entonces estarán dos en el campo ; el uno será tomado , y el otro será dejado :
dos mujeres moliendo á un molinillo ; la una será tomada , y la otra será dejada .
y si aquel siervo malo dijere en su corazón : mi señor se tarda en venir :
y comenzare á herir á sus consiervos , y aun á comer y á beber con los borrachos ;
y le cortará por medio , y pondrá su parte con los hipócritas : allí será el lloro y el crujir de dientes .
y como fueron cerca de jerusalem , de bethphagé , y de bethania , al monte de las olivas , envía dos de sus discípulos ,
y unos de los que estaban allí , les dijeron : ¿ qué hacéis desatando el pollino ?
y muchos tendían sus vestidos por el camino , y otros cortaban hojas de los árboles , y las tendían por el camino .
y el día siguiente , como salieron de bethania , tuvo hambre .
y no consentía que alguien llevase vaso por el templo .
y respondiendo jesús , les dice : tened fe en dios .
por tanto , os digo que todo lo que orando pidiereis , creed que lo recibiréis , y os vendrá .
y jesús respondiendo entonces , les dice : os preguntaré también yo una palabra ; y respondedme , y os diré con qué facultad hago estas cosas :
yo sé lo que haré para que cuando fuere quitado de la mayordomía , me reciban en sus casas .
y él dijo : cien barriles de aceite . y le dijo : toma tu obligación , y siéntate presto , y escribe cincuenta .
y yo os digo : haceos amigos de las riquezas de maldad , para que cuando faltareis , os reciban en las moradas eternas .
y oían también todas estas cosas los fariseos , los cuales eran avaros , y se burlaban de él .
cualquiera que repudia á su mujer , y se casa con otra , adultera : y el que se casa con la repudiada del marido , adultera .
y deseando hartarse de las migajas que caían de la mesa del rico ; y aun los perros venían y le lamían las llagas .
y dijo : ruégote pues , padre , que le envíes á la casa de mi padre ;
el entonces dijo : no , padre abraham : mas si alguno fuere á ellos de los muertos , se arrepentirán .
y mirando , vió á los ricos que echaban sus ofrendas en el gazofilacio .
empero cuando oyereis guerras y sediciones , no os espantéis ; porque es necesario que estas cosas acontezcan primero : mas no luego será el fin .
entonces les dijo : se levantará gente contra gente , y reino contra reino ;
y os será para testimonio .
poned pues en vuestros corazones no pensar antes cómo habéis de responder :
mas un pelo de vuestra cabeza no perecerá .
en vuestra paciencia poseeréis vuestras almas .
secándose los hombres á causa del temor y expectación de las cosas que sobrevendrán á la redondez de la tierra : porque las virtudes de los cielos serán conmovidas .
y cuando estas cosas comenzaren á hacerse , mirad , y levantad vuestras cabezas , porque vuestra redención está cerca .
de cierto os digo , que no pasará esta generación hasta que todo sea hecho .
y todo el pueblo venía á él por la mañana , para oirle en el templo .
en esto es glorificado mi padre , en que llevéis mucho fruto , y seáis así mis discípulos .
como el padre me amó , también yo os he amado : estad en mi amor .
estas cosas os he hablado , para que mi gozo esté en vosotros , y vuestro gozo sea cumplido .
esto os mando : que os améis los unos á los otros .
y vosotros daréis testimonio , porque estáis conmigo desde el principio .
y llevaroná enterrará esteban varones piadosos , é hicieron gran llanto sobre él .
entonces felipe , descendiendo á la ciudad de samaria , les predicaba á cristo .
y las gentes escuchaban atentamente unánimes las cosas que decía felipe , oyendo y viendo las señales que hacía .
al cual oían todos atentamente desde el más pequeño hasta el más grande , diciendo : este es la gran virtud de dios .
y le estaban atentos , porque con sus artes mágicas los había embelesado mucho tiempo .
y los apóstoles que estaban en jerusalem , habiendo oído que samaria había recibido la palabra de dios , les enviaron á pedro y á juan :
los cuales venidos , oraron por ellos , para que recibiesen el espíritu santo ;
y como vió simón que por la imposición de las manos de los apóstoles se daba el espíritu santo , les ofreció dinero ,
diciendo : dadme también á mí esta potestad , que á cualquiera que pusiere las manos encima , reciba el espíritu santo .
no tienes tú parte ni suerte en este negocio ; porque tu corazón no es recto delante de dios .
arrepiéntete pues de esta tu maldad , y ruega á dios , si quizás te será perdonado el pensamiento de tu corazón .
respondiendo entonces simón , dijo : rogad vosotros por mí al señor , que ninguna cosa de estas que habéis dicho , venga sobre mí .
y el espíritu dijo á felipe : llégate , y júntate á este carro .
en su humillación su juicio fué quitado : mas su generación , ¿ quién la contará ? porque es quitada de la tierra su vida .
entonces felipe , abriendo su boca , y comenzando desde esta escritura , le anunció el evangelio de jesús .
felipe empero se halló en azoto : y pasando , anunciaba el evangelio en todas las ciudades , hasta que llegó á cesarea .
mas los judíos que fueron incrédulos , incitaron y corrompieron los ánimos de los gentiles contra los hermanos .
y haciendo ímpetu los judíos y los gentiles juntamente con sus príncipes , para afrentarlos y apedrearlos ,
habiéndolo entendido , huyeron á listra y derbe , ciudades de licaonia , y por toda la tierra alrededor .
dijo á gran voz : levántate derecho sobre tus pies . y saltó , y anduvo .
y á bernabé llamaban júpiter , y á pablo , mercurio , porque era el que llevaba la palabra .
y diciendo estas cosas , apenas apaciguaron el pueblo , para que no les ofreciesen sacrificio .
y como hubieron anunciado el evangelio á aquella ciudad , y enseñado á muchos , volvieron á listra , y á iconio , y á antioquía ,
y habiéndoles constituído ancianos en cada una de las iglesias , y habiendo orado con ayunos , los encomendaron al señor en el cual habían creído .
y pasando por pisidia vinieron á pamphylia .
porque como por la desobediencia de un hombre los muchos fueron constituídos pecadores , así por la obediencia de uno los muchos serán constituídos justos .
guardaos de los perros , guardaos de los malos obreros , guardaos del cortamiento .
